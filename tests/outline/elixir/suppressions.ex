# credo:disable-for-this-file Credo.Check.Readability.ModuleDoc
defmodule Slug.Suppressions do
  @dialyzer {:nowarn_function, a: 1}

  # credo:disable-for-next-line Credo.Check.Warning.IoInspect
  def a(x), do: IO.inspect(x)

  # coveralls-ignore-start
  def b(x) do
    require IEx
    IEx.pry()
    # TODO: remove
    dbg(x)
    "# TODO in a text is none"
  end

  # coveralls-ignore-stop
end
