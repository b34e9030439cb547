class UndefinedTest < Minitest::Test
  def test_runs
    assert_equal 1, one
  end

  def test_off
    assert_equal 2, one
  end

  def test_gone
    assert_equal 3, one
  end

  undef_method :test_off
  undef test_gone
end
