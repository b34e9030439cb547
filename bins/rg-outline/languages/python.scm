; python: not written yet.
