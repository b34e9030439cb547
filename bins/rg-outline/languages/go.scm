; go: not written yet.
