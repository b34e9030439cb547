# New tests come with the skips of their platform.
project
prompt 'add tests'
printf 'import sys, pytest\n\n@pytest.mark.skipif(sys.platform == "win32", reason="posix")\ndef test_a():\n    assert True\n' >test/test_a.py
printf 'package a\n\nfunc TestX(t *testing.T) {\n\tif testing.Short() {\n\t\tt.Skip("long")\n\t}\n\tif got := X(); got != 1 {\n\t\tt.Fatal(got)\n\t}\n}\n' >test/a_test.go
stop
