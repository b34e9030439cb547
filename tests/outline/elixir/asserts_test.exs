defmodule Slug.AssertsTest do
  use ExUnit.Case

  test "strengths" do
    assert got == "x"
    assert got === "x", "message"
    assert got != "x"
    assert got > 2
    assert got in [1, 2]
    assert got =~ "x"
    assert got
    refute got
    refute got == 2
    assert {:ok, value} = parse("x")
    assert _ = parse("x")
    assert length(got) == 2
    assert is_binary(got)
    assert got.a == 1 and got.b == 2
    assert got == 1 or got == 2
    assert match?({:ok, _}, got)
    assert_raise ArgumentError, fn -> parse("") end
    assert_raise ArgumentError, "bad", fn -> parse("") end
    assert_receive {:done, 1}, 100
    refute_received :done
    assert_in_delta got, 0.3, 0.1
    got |> parse() |> assert()
    expect(Mock, :send, fn _ -> :ok end)
    assert_value(got)
    flunk("not reached")
  end

  test "nothing" do
    assert true
    assert 1 == 1
    assert got == got
    assert got || true
  end

  test "dead" do
    if false do
      assert got == 1
    end

    if true do
      assert got == 2
    else
      assert got == 3
    end

    _check = fn -> assert got == 4 end

    for x <- [] do
      assert x == 5
    end
  end

  test "swallowed" do
    try do
      assert got == 1
    rescue
      _ -> :ok
    end

    try do
      assert got == 2
    rescue
      ArgumentError -> :ok
    end

    try do
      assert got == 3
    rescue
      error -> reraise error, __STACKTRACE__
    end
  end

  test "empty" do
  end

  defp assert_value(got) do
    assert got.value == 3
  end
end
