"""What tests assert, what does not count, and what is never seen."""
import contextlib
from unittest import mock

import pytest


def test_strengths(value, client, capsys):
    assert value == 3
    assert value is None
    assert value is not None
    assert value is True
    assert value != 3
    assert value in (1, 2)
    assert value not in (1, 2)
    assert value > 2
    assert 0 < value < 5
    assert value
    assert not value
    assert value.is_ready()
    assert isinstance(value, int)
    assert value.startswith("a"), "message"
    assert len(value) == 2
    assert len(value) > 0
    assert value == pytest.approx(0.3)
    assert value == mock.ANY
    assert value == 1 and value.name == "a"
    assert value.a == 1 and value.b == 2 and value.c
    assert value == 1 or value == 2
    assert all(x > 1 for x in value)


def test_nothing(value):
    assert True
    assert 1 == 1
    assert "text"
    assert (value == 1, "a tuple is true")
    assert not False
    assert value or True
    assert value == value
    assert [1]


def test_errors():
    with pytest.raises(ValueError):
        parse("x")
    with pytest.raises(ValueError, match="bad") as caught:
        parse("x")
    with pytest.raises(Exception):
        parse("x")
    with pytest.raises((KeyError, ValueError)):
        parse("x")
    with pytest.warns(UserWarning, match="old"):
        parse("x")
    with pytest.deprecated_call():
        parse("x")
    pytest.raises(ValueError, parse, "x")
    assert "bad" in str(caught.value)


def test_libraries(service, page, np):
    service.send.assert_called_once_with("a", 1)
    service.send.assert_called()
    service.send.assert_not_called()
    np.testing.assert_allclose([1.0], [1.0], rtol=1e-3)
    np.testing.assert_array_equal([1], [2])
    expect(page).to_have_title("x")
    expect(page.locator("a")).not_to_be_visible()
    assert_that(page).is_equal_to(3)
    check_page(page)


def test_failure_by_hand(value):
    if value != 3:
        pytest.fail("not three")
    if not value:
        raise AssertionError("empty")
    for item in value:
        if item > 3:
            pytest.fail("too much")


def test_returns_first(value):
    return
    assert value == 3


def test_returns_under_condition(value):
    if value is None:
        return
    assert value == 3


def test_dead(value):
    if False:
        assert value == 1
    if 0:
        assert value == 2
    while False:
        assert value == 3
    for item in []:
        assert item == 4
    if True:
        assert value == 5
    else:
        assert value == 6


def test_swallowed(value):
    try:
        assert value == 3
    except:
        pass
    try:
        assert value == 4
    except AssertionError as error:
        print(error)
    with contextlib.suppress(Exception):
        assert value == 5


def test_not_swallowed(value):
    try:
        assert value == 3
    except ValueError:
        pass
    try:
        assert value == 4
    except Exception:
        cleanup()
        raise
    try:
        assert value == 5
    except Exception as error:
        pytest.fail(str(error))
    try:
        assert value == 6
    finally:
        cleanup()


def test_nested_function(value):
    def check(item):
        assert item == 1

    check(value)


def test_empty():
    pass


def test_ellipsis():
    ...


def check_page(page):
    assert page.status == 200


def cleanup():
    print("done")
