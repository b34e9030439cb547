#!/bin/sh
# TODO: more words

testJoinsWords() {
  assertEquals "a-b" "$(slug 'a b')"
  assertTrue "[ -n \"$(slug a)\" ]"
}

test_drops_punctuation() {
  startSkipping
  assertEquals 'why' "a" "$(slug 'a!')"
}

helper() {
  set -x
  slug "$1"
}

. shunit2
