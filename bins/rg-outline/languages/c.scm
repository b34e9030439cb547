; c: not written yet.
