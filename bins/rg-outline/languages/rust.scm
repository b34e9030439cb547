; rust: not written yet.
