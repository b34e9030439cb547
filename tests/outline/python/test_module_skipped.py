"""A module that is skipped as a whole."""
import pytest

pytestmark = [pytest.mark.usefixtures("db"), pytest.mark.skip(reason="off")]


def test_one():
    assert 1 + 1 == 2
