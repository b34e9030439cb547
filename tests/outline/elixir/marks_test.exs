defmodule Slug.MarksTest do
  use ExUnit.Case, async: true
  use ExUnitProperties

  setup do
    {:ok, value: 3}
  end

  test "plain", %{value: value} do
    assert value == 3
  end

  @tag :skip
  test "is skipped" do
    assert add(1, 1) == 2
  end

  @tag skip: "flaky"
  @tag timeout: 1_000
  test "is skipped with a reason" do
    assert add(1, 1) == 2
  end

  @tag timeout: 1_000
  @tag :skip
  test "is skipped by the second tag" do
    assert add(1, 1) == 2
  end

  @tag skip: System.get_env("HOST") == nil
  test "is skipped under a condition" do
    assert add(1, 1) == 2
  end

  @tag skip: false
  test "is not skipped" do
    assert add(1, 1) == 2
  end

  @tag :slow
  test "has another tag", do: assert(add(1, 1) == 2)

  test "is announced"

  @tag :focus
  test "is focused" do
    assert add(1, 1) == 2
  end

  describe "add/2" do
    test "in a block" do
      assert add(1, 1) == 2
    end
  end

  describe "a skipped block" do
    @describetag :skip

    test "in it" do
      assert add(1, 1) == 2
    end
  end

  property "commutes" do
    check all a <- integer(), b <- integer() do
      assert add(a, b) == add(b, a)
    end
  end

  for {a, b} <- [{1, 2}, {2, 3}] do
    test "adds one to #{a}" do
      assert add(unquote(a), 1) == unquote(b)
    end
  end

  test "with a table" do
    for {a, b} <- [{1, 2}, {2, 3}] do
      assert add(a, 1) == b
    end
  end

  defp add(a, b), do: a + b
end

defmodule Slug.SkippedTest do
  use ExUnit.Case
  @moduletag skip: "no server"

  test "one" do
    assert 1 + 1 == 2
  end
end
