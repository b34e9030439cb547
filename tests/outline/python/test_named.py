import unittest


def test_runs():
    assert one() == 1


def test_off():
    assert one() == 2


def test_deleted():
    assert one() == 3


def test_wrapped():
    assert one() == 4


class TestOff:
    def test_inside(self):
        assert one() == 5


test_off.__test__ = False
TestOff.__test__ = False
test_wrapped = unittest.skip("later")(test_wrapped)
del test_deleted
