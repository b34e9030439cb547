; bash: not written yet.
