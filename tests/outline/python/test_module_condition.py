"""A module that is skipped under a condition."""
import sys

import pytest

if sys.platform == "win32":
    pytest.skip("no fork", allow_module_level=True)

numpy = pytest.importorskip("numpy")


def test_one():
    assert numpy.ones(1)[0] == 1
