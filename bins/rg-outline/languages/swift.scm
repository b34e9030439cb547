; swift: not written yet.
