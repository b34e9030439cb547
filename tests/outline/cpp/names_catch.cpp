#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>

int add(int a, int b) { return a + b; }

TEST_CASE("adds", "[math]") {
    REQUIRE(add(1, 2) == 3);
}

TEST_CASE("adds nothing") {
    CHECK(add(0, 2) == 2);
}

TEST_CASE("is hidden", "[.slow]") {
    CHECK(add(1, 1) == 2);
}

// TEST_CASE("in a comment") {}
const char* text = "TEST_CASE(\"in a string\") {}";
