; kotlin: not written yet.
