defmodule NamesTest do
  use ExUnit.Case

  test "adds" do
    assert 1 + 2 == 3
  end

  describe "zero" do
    test "adds nothing" do
      assert 1 + 0 == 1
    end

    @tag :skip
    test "is skipped" do
      assert 1 + 0 == 2
    end
  end

  # test "in a comment" do
  @text ~s(test "in a string" do)
  def text, do: @text
end
