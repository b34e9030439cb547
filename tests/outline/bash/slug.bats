#!/usr/bin/env bats

# shellcheck disable=SC2034
load helper

setup() {
  [ -d "$BATS_TMPDIR" ]
}

@test "joins words with dashes" {
  run slug "a b"
  [ "$status" -eq 0 ]
  [ "$output" = "a-b" ]
  [[ "$output" == *-* ]]
  [[ "$output" =~ ^a ]]
  [ -n "$output" ]
  [ 1 -eq 1 ]
}

@test "uses the assertions of bats-assert" {
  run slug "a b"
  assert_success
  assert_output "a-b"
  assert_output --partial "b"
  assert_equal "$output" "a-b"
  refute_output "c"
  run -1 slug
  ! slug --wrong
}

@test 'is skipped' {
  skip "later"
  [ "$status" -eq 0 ]
}

@test "is skipped on a condition" {
  if [ "$(uname)" = "Darwin" ]; then
    skip "not on macOS"
  fi
  [ -x "$(command -v curl)" ] || skip
  run slug "a"
  [ "$status" -eq 0 ]
}

@test "loses its failure" {
  run slug "a"
  [ "$status" -eq 0 ] || true
}

@test "returns first" {
  return
  [ "$status" -eq 0 ]
}

@test "never asserts" {
  if false; then
    [ "$status" -eq 0 ]
  fi
}

# bats test_tags=bats:focus
@test "has focus" {
  run slug "a" # shellcheck disable=SC2086,SC2154
  assert_success
}

@test "is empty" {
  true
}

expect_slug() {
  run slug "$1"
  [ "$output" = "$2" ]
}
