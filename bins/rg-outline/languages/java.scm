; java: not written yet.
