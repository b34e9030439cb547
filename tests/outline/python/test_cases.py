"""unittest: every way to skip, and every assertion."""
import sys
import unittest
from unittest import TestCase, expectedFailure, skip, skipIf, skipUnless
from unittest import skip as off


class Plain(unittest.TestCase):
    def setUp(self):
        self.value = 3

    def test_plain(self):
        self.assertEqual(self.value, 3)

    @unittest.skip("flaky")
    def test_skip(self):
        self.assertEqual(self.value, 3)

    @skip("by name")
    def test_skip_by_name(self):
        self.assertEqual(self.value, 3)

    @off("by another name")
    def test_skip_by_other_name(self):
        self.assertEqual(self.value, 3)

    @skipIf(sys.platform == "win32", "no fork")
    def test_skip_if(self):
        self.assertEqual(self.value, 3)

    @unittest.skipIf(True, "always")
    def test_skip_if_always(self):
        self.assertEqual(self.value, 3)

    @skipUnless(hasattr(sys, "setdlopenflags"), "no dlopen")
    def test_skip_unless(self):
        self.assertEqual(self.value, 3)

    @unittest.skipUnless(False, "never")
    def test_skip_unless_never(self):
        self.assertEqual(self.value, 3)

    @expectedFailure
    def test_expected_failure(self):
        self.assertEqual(self.value, 4)

    def test_skip_in_body(self):
        self.skipTest("later")
        self.assertEqual(self.value, 3)

    def test_skip_in_branch(self):
        if sys.platform == "win32":
            self.skipTest("no fork")
        self.assertEqual(self.value, 3)

    def test_skip_by_error(self):
        raise unittest.SkipTest("later")

    def test_rows(self):
        for a, b in [(1, 2), (3, 4)]:
            with self.subTest(a=a):
                self.assertEqual(a + 1, b)

    def helper(self, value):
        self.assertIn(value, [3])


class Assertions(TestCase):
    def test_all(self):
        value = [1]
        self.assertEqual(value, [1], "message")
        self.assertNotEqual(value, [2])
        self.assertTrue(value)
        self.assertTrue(value == [1])
        self.assertTrue(len(value) > 0)
        self.assertFalse(value)
        self.assertIs(value, None)
        self.assertIsNone(value)
        self.assertIsNotNone(value)
        self.assertIn(1, value)
        self.assertIsInstance(value, list)
        self.assertAlmostEqual(value[0], 1.0, places=3)
        self.assertGreater(value[0], 0)
        self.assertRegex("a", r"^a$")
        self.assertCountEqual(value, [1])
        self.assertDictEqual(value, {})
        with self.assertRaises(ValueError):
            int("x")
        with self.assertRaises(Exception):
            int("x")
        with self.assertRaisesRegex(ValueError, "invalid"):
            int("x")
        self.assertRaises(ValueError, int, "x")
        with self.assertLogs("a", level="INFO"):
            pass
        self.fail("not reached")

    def test_nothing(self):
        value = [1]
        self.assertTrue(True)
        self.assertEqual(1, 1)
        self.assertEqual(value, value)
        self.assertIsNotNone("a")


@unittest.skip("whole class")
class Skipped(TestCase):
    def test_one(self):
        self.assertTrue(True)


class SkippedBySetUp(TestCase):
    @classmethod
    def setUpClass(cls):
        raise unittest.SkipTest("no server")

    def test_one(self):
        self.assertEqual(1 + 1, 2)


class SkippedUnderCondition(TestCase):
    def setUp(self):
        if sys.platform == "win32":
            self.skipTest("no fork")

    def test_one(self):
        self.assertEqual(1 + 1, 2)


if __name__ == "__main__":
    unittest.main()
