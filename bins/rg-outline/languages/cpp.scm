; cpp: not written yet.
