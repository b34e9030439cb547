#include <gtest/gtest.h>

#pragma GCC diagnostic ignored "-Wunused-variable"

TEST(CalculatorTest, Adds) {
  Calculator calculator;
  EXPECT_EQ(calculator.add(2, 2), 4) << "sum";
  ASSERT_TRUE(calculator.is_ready());
  EXPECT_TRUE(calculator.size() == 3);
  EXPECT_TRUE(true);
  EXPECT_EQ(1, 1);
  EXPECT_GT(calculator.size(), 1);
  EXPECT_THAT(calculator.items(), ElementsAre(1, 2));
  EXPECT_THAT(calculator.name(), HasSubstr("c"));
}

TEST_F(CalculatorFixture, DISABLED_IsDisabled) {
  EXPECT_EQ(calculator.size(), 0);
}

TEST_F(CalculatorFixture, IsSkipped) {
  GTEST_SKIP() << "later";
  EXPECT_EQ(calculator.size(), 0);
}

TEST_F(CalculatorFixture, IsSkippedOnACondition) {
  if (!HasNetwork()) {
    GTEST_SKIP();
  }
  EXPECT_EQ(calculator.size(), 0);
}

TEST(CalculatorTest, Throws) {
  EXPECT_THROW({ calculator.parse("("); }, ParseError);
  EXPECT_THROW(calculator.parse("("), std::exception);
  EXPECT_NO_THROW(calculator.parse("1"));
  EXPECT_CALL(sink, accept(1)).Times(2);
}

TEST_P(NumberTest, Doubles) {
  EXPECT_EQ(twice(GetParam()), GetParam() * 2);
}

INSTANTIATE_TEST_SUITE_P(Small, NumberTest, testing::Values(1, 2, 3));

TYPED_TEST(ListTest, IsEmpty) {
  TypeParam list;
  EXPECT_EQ(list.size(), 0);
}

TEST(CalculatorTest, NeverAsserts) {
  if (false) {
    EXPECT_EQ(calculator.size(), 0);
  }
  try {
    EXPECT_EQ(calculator.size(), 0);
  } catch (...) {
  }
  return;
  EXPECT_EQ(calculator.size(), 0);
}

#if 0
TEST(CalculatorTest, IsDead) {
  EXPECT_EQ(calculator.size(), 0);
}
#endif

namespace {
class Helper {
 public:
  void expect_empty(const Calculator& it) {
    EXPECT_EQ(it.size(), 0);  // NOLINT(readability-container-size-empty)
  }
};
}  // namespace

BOOST_AUTO_TEST_CASE(adds) {
  BOOST_CHECK_EQUAL(calculator.add(1, 1), 2);
  BOOST_TEST(calculator.size() == 0);
}
