; elixir: not written yet.
