; ruby: not written yet.
