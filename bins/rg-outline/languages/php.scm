; php: not written yet.
