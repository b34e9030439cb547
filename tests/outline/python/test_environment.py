import os
import sys


def test_needs_a_server():
    if not os.environ.get("SERVER"):
        return
    assert connect() == 1


def test_needs_a_platform():
    if sys.platform == "win32":
        return
    assert link() == "a"


def test_ends_early_by_a_value():
    found = find()
    if found is None:
        return
    assert found == 1


class TestRatio(unittest.TestCase):
    def test_ratio(self):
        self.assertAlmostEqual(ratio(), 0.5, places=3)
        self.assertAlmostEqual(ratio(), 0.5, 3)
