#include "unity.h"

void setUp(void) {
    TEST_ASSERT_NOT_NULL(calculator);
}

void test_adds(void) {
    TEST_ASSERT_EQUAL_INT(4, add(2, 2));
    TEST_ASSERT_TRUE(is_ready());
    TEST_ASSERT(size() == 3);
    TEST_ASSERT_TRUE(1);
    TEST_ASSERT_GREATER_THAN(1, size());
    assert(!strcmp(name(), "c"));
}

void test_is_ignored(void) {
    TEST_IGNORE_MESSAGE("later");
    TEST_ASSERT_EQUAL_INT(0, size());
}

void test_never_asserts(void) {
    if (0) {
        TEST_ASSERT_EQUAL_INT(0, size());
    }
    return;
    TEST_ASSERT_EQUAL_INT(0, size());
}

static void test_of_cmocka(void **state) {
    if (!has_network()) {
        skip();
    }
    assert_int_equal(size(), 0);
    assert_string_equal(name(), "c");
}

START_TEST(test_of_check) {
    ck_assert_int_eq(size(), 0);
    ck_assert(is_ready());
}
END_TEST

#ifdef NOT_YET
void test_is_dead(void) {
    TEST_ASSERT_EQUAL_INT(0, size());
}
#endif

static void expect_empty(void) {
    TEST_ASSERT_EQUAL_INT(0, size()); /* NOLINT */
}
