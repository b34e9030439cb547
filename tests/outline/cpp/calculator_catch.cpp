#include <catch2/catch_test_macros.hpp>

TEST_CASE("adds", "[math]") {
  Calculator calculator;
  REQUIRE(calculator.add(2, 2) == 4);
  CHECK_FALSE(calculator.is_busy());
  CHECK(calculator.size() > 3);
  REQUIRE(true);
  REQUIRE_THROWS_AS(calculator.parse("("), ParseError);

  SECTION("negative numbers") {
    REQUIRE(calculator.add(-1, -1) == -2);
  }

  SECTION("zero") {
    REQUIRE(calculator.add(0, 0) == 0);
  }
}

TEST_CASE("may fail", "[math][!mayfail]") {
  REQUIRE(calculator.size() == 0);
}

TEST_CASE("is hidden", "[.]") {
  REQUIRE(calculator.size() == 0);
}

TEST_CASE("is hidden with a tag", "[.slow]") {
  REQUIRE(calculator.size() == 0);
}

TEST_CASE("is skipped in its body") {
  SKIP("later");
}

TEST_CASE("is skipped by doctest" * doctest::skip()) {
  CHECK(calculator.size() == 0);
}

TEST_CASE("may be skipped by doctest" * doctest::skip(is_slow)) {
  CHECK(calculator.size() == 0);
}

TEST_SUITE("numbers") {
  TEST_CASE("are counted") {
    CHECK(calculator.size() == 0);
  }
}

SCENARIO("two numbers are added") {
  GIVEN("a calculator") {
    WHEN("they come") {
      THEN("it adds them") {
        REQUIRE(calculator.add(1, 1) == 2);
      }
    }
  }
}
