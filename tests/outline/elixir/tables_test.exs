defmodule TablesTest do
  use ExUnit.Case

  doctest Slug
  doctest Slug.Parts, import: true

  for word <- ["a", "b"] do
    test "keeps #{word}" do
      assert Slug.of(unquote(word)) == unquote(word)
    end
  end

  for word <- words() do
    test "turns #{word}" do
      assert Slug.of(unquote(word)) == "x"
    end
  end

  test "raises" do
    assert_raise ArgumentError, fn -> Slug.of(nil) end
    assert_raise ArgumentError, "nil is no title", fn -> Slug.of(nil) end
    assert_raise ArgumentError, ~r/title/, fn -> Slug.of(nil) end
    assert_in_delta Slug.weight("a"), 0.5, 0.01
  end
end
