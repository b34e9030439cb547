#include <gtest/gtest.h>

class LoadTest : public ::testing::TestWithParam<int> {};

TEST_P(LoadTest, IsAShare) { EXPECT_EQ(load(GetParam()), GetParam() / 4.0); }

INSTANTIATE_TEST_SUITE_P(Listed, LoadTest, ::testing::Values(0, 1, 3));
INSTANTIATE_TEST_SUITE_P(Ranged, LoadTest, ::testing::Range(0, 5));
INSTANTIATE_TEST_SUITE_P(Named, LoadTest, testing::ValuesIn(kLoads));
