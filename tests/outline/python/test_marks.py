"""Every way in which pytest skips, focuses and tables tests."""
import sys

import pytest
import pytest as pt
from pytest import mark, param

needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="signals")
slow = pytest.mark.slow
flaky = pytest.mark.xfail(reason="issue")
SIZES = [1, 2, 3]


def test_plain():
    assert len([1, 2]) == 2


@pytest.mark.skip
def test_skip_bare():
    assert add(1, 1) == 2


@pytest.mark.skip(reason="flaky")
def test_skip_reason():
    assert add(1, 1) == 2


@pt.mark.skip("module alias")
def test_skip_module_alias():
    assert add(1, 1) == 2


@mark.skip
def test_skip_name_import():
    assert add(1, 1) == 2


@pytest.mark.skipif(sys.version_info < (3, 8), reason="walrus")
def test_skipif_condition():
    assert add(1, 1) == 2


@pytest.mark.skipif("sys.platform == 'win32'")
def test_skipif_text():
    assert add(1, 1) == 2


@pytest.mark.skipif(True, reason="always")
def test_skipif_always():
    assert add(1, 1) == 2


@pytest.mark.skipif(False, reason="never")
def test_skipif_never():
    assert add(1, 1) == 2


@needs_linux
def test_skipif_alias():
    assert add(1, 1) == 2


@pytest.mark.xfail
def test_xfail_bare():
    assert add(1, 1) == 3


@pytest.mark.xfail(sys.platform == "win32", reason="paths", strict=True)
def test_xfail_condition():
    assert add(1, 1) == 3


@pytest.mark.xfail(raises=ValueError, strict=True)
def test_xfail_strict():
    assert add(1, 1) == 3


@pytest.mark.xfail(run=False, reason="hangs")
def test_xfail_not_run():
    assert add(1, 1) == 3


@flaky
def test_xfail_alias():
    assert add(1, 1) == 3


@slow
def test_other_mark():
    assert add(1, 1) == 2


@pytest.mark.parametrize("a,b", [(1, 2), (3, 4)])
def test_table(a, b):
    assert add(a, 1) == b


@pytest.mark.parametrize("a", [1, 2], ids=["one", "two"])
@pytest.mark.parametrize("b", (3, 4, 5))
def test_table_of_two(a, b):
    assert add(a, b) > 0


@pytest.mark.parametrize("a", SIZES)
def test_table_by_name(a):
    assert a


@pytest.mark.parametrize("a", range(3))
def test_table_by_call(a):
    assert a >= 0


@pytest.mark.parametrize(argnames="a", argvalues=[1, 2])
def test_table_by_keyword(a):
    assert a


@pytest.mark.parametrize("a", [1, param(2, marks=pytest.mark.skip), pytest.param(3, marks=[pytest.mark.xfail])])
def test_table_with_marks(a):
    assert a == 1


def test_skip_in_body():
    pytest.skip("later")
    assert add(1, 1) == 2


def test_skip_in_branch():
    if sys.platform == "win32":
        pytest.skip("no fork")
    assert add(1, 1) == 2


def test_skip_in_else():
    if sys.platform == "linux":
        pass
    elif sys.platform == "darwin":
        pytest.skip("no epoll")
    else:
        pytest.skip("no fork")
    assert add(1, 1) == 2


def test_skip_in_branch_that_always_runs():
    if True:
        pytest.skip("off")
    assert add(1, 1) == 2


def test_skip_in_handler():
    try:
        import numpy
    except ImportError:
        pytest.skip("no numpy")
    assert numpy.ones(1)[0] == 1


def test_import_or_skip():
    yaml = pytest.importorskip("yaml", minversion="6")
    assert yaml.safe_load("1") == 1


def test_xfail_in_body():
    pytest.xfail("not yet")
    assert add(1, 1) == 2


@pytest.fixture
def database():
    if not sys.platform:
        pytest.skip("no database")
    yield add
    assert add(0, 0) == 0


def test_fixture_that_skips(database):
    assert database(1, 1) == 2


class TestSkipped:
    pytestmark = pytest.mark.skip(reason="whole class")

    def test_one(self):
        assert add(1, 1) == 2


@pytest.mark.skip
class TestSkippedByDecorator:
    def test_one(self):
        assert add(1, 1) == 2

    class TestInner:
        def test_two(self):
            assert add(1, 1) == 2


class TestSetUpSkips:
    def setup_method(self):
        pytest.skip("off")

    def test_one(self):
        assert add(1, 1) == 2


class TestAutouseFixture:
    @pytest.fixture(autouse=True)
    def check(self):
        if sys.platform == "win32":
            pytest.skip("no fork")

    def test_one(self):
        assert add(1, 1) == 2


class Helper:
    def test_connection(self):
        return True


def add(a, b):
    return a + b


if sys.platform != "win32":

    def test_defined_under_condition():
        assert add(1, 1) == 2


async def test_async():
    assert add(1, 1) == 2
