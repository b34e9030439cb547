# Checks pass. What do they prove about the change? The tests run on old and new files in turn, in a copy.
. "$LIB/client.sh"
repository ''
cat >DONE.md <<'END'
# Done
```yaml
checks:
  - {name: tests, run: sh tests/price.sh}
```
END
cat >shop.sh <<'END'
price() { echo $(($1 * 2)); }
END
mkdir tests && cat >tests/price.sh <<'END'
. ./shop.sh
[ "$(price 2)" = 4 ] || { echo "price 2: $(price 2)"; exit 1; }
END
git add -A && git commit -qm base
echo '--- nothing changed'
rg-prove --now | sed 's/since [0-9a-f]*/since BASE/'
echo '--- a test that fits the new code'
echo 'price() { echo $(($1 * 3)); }' >shop.sh
sed 's/= 4/= 6/' tests/price.sh >../t && cp ../t tests/price.sh
rg-check --now >/dev/null; echo "rg-check: status $?"
rg-prove --now | sed 's/since [0-9a-f]*/since BASE/'
echo '--- a test that proves nothing, and lines that no test notices'
git checkout -q .
echo 'discount() { echo $(($1 - 1)); }' >>shop.sh
echo '[ "$(price 3)" = 6 ]' >>tests/price.sh
rg-prove --now >../out; status=$?
sed 's/since [0-9a-f]*/since BASE/' ../out; echo "status $status"
echo '--- a test that proves it'
echo '[ "$(discount 3)" = 2 ]' >>tests/price.sh
rg-prove --now >../out; status=$?
sed 's/since [0-9a-f]*/since BASE/' ../out; echo "status $status"
echo '--- the files are as they were'
git status --short
