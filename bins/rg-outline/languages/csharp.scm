; csharp: not written yet.
