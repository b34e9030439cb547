require "minitest/autorun"

class CalculatorTest < Minitest::Test
  def setup
    @calculator = Calculator.new
  end

  def test_adds
    assert_equal 4, @calculator.add(2, 2)
    assert_equal(4, @calculator.add(2, 2), "sum")
    assert @calculator.ready?
    assert @calculator.name == "c"
    assert @calculator.items.include?(3)
    refute @calculator.busy?
    refute_nil @calculator.name
    assert_nil @calculator.error
    assert true
    assert_equal 1, 1
    assert_in_delta 0.3, @calculator.add(0.1, 0.2), 0.001
    assert_includes @calculator.items, 3
  end

  def test_raises
    assert_raises(ZeroDivisionError) { @calculator.divide(1, 0) }
    assert_raises(StandardError) do
      @calculator.divide(1, 0)
    end
    assert_predicate @calculator, :ready?
    _(@calculator.size).must_equal 0
    expect(@calculator.size).must_be :>, 1
    @calculator.size.wont_equal 3
  end

  def test_is_skipped
    skip
    assert_equal 0, @calculator.size
  end

  def test_is_skipped_with_reason
    skip("later")
    assert_equal 0, @calculator.size
  end

  def test_is_skipped_conditionally
    skip "slow" if ENV["FAST"]
    assert_equal 0, @calculator.size
  end

  def test_loses_failures
    assert_equal 0, @calculator.size
  rescue
    nil
  end

  def test_is_empty
  end

  def test_flunks
    flunk
  end

  focus
  def test_has_focus
    assert_valid @calculator
  end

  def assert_valid(it)
    assert_equal 0, it.size
  end

  private

  def test_is_private
    assert_equal 0, @calculator.size
  end
end

class UserTest < ActiveSupport::TestCase
  setup do
    @user = users(:one)
  end

  test "is valid" do
    assert_difference "User.count", 1 do
      User.create!
    end
    assert_response :success
    assert_not @user.blocked?
  end

  test "has no body"

  sub_test_case "nested" do
    test "omits" do
      omit("later")
      assert_true @user.valid?
    end
  end
end

describe "Calculator" do
  it "adds" do
    _(Calculator.new.add(1, 1)).must_equal 2
    _ { Calculator.new.divide(1, 0) }.must_raise ZeroDivisionError
  end

  it "waits"
end
