# A model answers with a patch. It is applied as a whole, inside the allowed paths, or not at all.
. "$LIB/client.sh"
repository 'paths: {allow: ["/src/"], deny: ["/src/keys/"]}
'
mkdir -p src/keys
printf 'one\ntwo\nthree\n' >src/a.txt
echo secret >src/keys/k
git add -A && git commit -qm files
cat >../answer <<'END'
The second line was wrong. I also add a note.

```diff
--- a/src/a.txt
+++ b/src/a.txt
@@ -1,3 +1,3 @@
 one
-two
+2
 three
--- /dev/null
+++ b/src/note.txt
@@ -0,0 +1 @@
+a note
```
END
echo '--- a hunk that does not fit'
sed 's/^-two/-zwei/' ../answer | rg-patch; echo "status $?"
echo '--- wrong counts'
sed 's/@@ -1,3 +1,3 @@/@@ -1,5 +1,5 @@/' ../answer | rg-patch; echo "status $?"
echo '--- a forbidden file beside an allowed one'
cat >../theft <<'END'
--- a/src/a.txt
+++ b/src/a.txt
@@ -1,1 +1,1 @@
-one
+1
diff --git a/src/keys/k b/src/stolen.txt
rename from src/keys/k
rename to src/stolen.txt
END
rg-patch <../theft; echo "status $?"
git status --short
echo '--- the answer with prose around its patch'
rg-patch --check <../answer; echo "status $?"
rg-patch <../answer; echo "status $?"
git status --short
echo '--- the same once more'
rg-patch <../answer; echo "status $?"
echo '--- in reverse'
rg-patch --reverse --json <../answer; echo "status $?"
git status --short
