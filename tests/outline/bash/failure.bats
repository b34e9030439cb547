@test "an unknown option" {
  run rotate -x
  assert_failure 64
  assert_failure
}
