#include <gtest/gtest.h>

int add(int a, int b) { return a + b; }

TEST(Add, Adds) { EXPECT_EQ(add(1, 2), 3); }

class AddFixture : public ::testing::Test {};

TEST_F(AddFixture, AddsInAFixture) { EXPECT_EQ(add(1, 2), 3); }

TEST(Add, DISABLED_Later) { EXPECT_EQ(add(1, 2), 4); }

// TEST(Add, InAComment) {}
const char* text = "TEST(Add, InAString) {}";
