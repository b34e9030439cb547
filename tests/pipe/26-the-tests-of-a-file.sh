# rg-outline: lists the tests of a file, what they assert and what keeps them from running.
mkdir test
cat >test/slug.test.js <<'X'
const { slug } = require('../src/slug')
const online = process.env.NETWORK ? describe : describe.skip

describe('slug', () => {
  it('lowers case', () => {
    expect(slug('Ab')).toBe('ab')
  })
  it.skip('drops punctuation', () => {
    expect(slug('a.b')).toBe('ab')
  })
  it.each([['a b', 'a-b'], ['a  b', 'a-b']])('joins %s', (text, expected) => {
    expect(slug(text)).toBe(expected)
  })
  it('is empty', () => {
    try {
      expect(slug('')).toBe('')
    } catch {} // eslint-disable-line no-empty
  })
})
online('with a network', () => {
  it('fetches', async () => expect(await fetched()).toContain('a')) // TODO: more
})
X
rg-outline test/slug.test.js; echo "status $?"
echo '--- one test as JSON'
rg-outline --json test/slug.test.js | sed 's/.*\({"name":"drops[^}]*}\).*/\1/'
echo '--- from standard input'
printf '{"path":"a.py","bytes":2}\n#\n{"path":"notes","bytes":0}\n' | rg-outline --json -; echo "status $?"
echo '--- what cannot be read'
printf '\0' >image.js
rg-outline image.js gone.js; echo "status $?"
echo '--- two versions'
sed -e "s/it.skip('drops/it('drops/" -e "s/it('lowers/it.only('lowers/" -e "s/toContain('a')/toBeDefined()/" \
    -e "s/, \['a  b', 'a-b'\]//" -e "s/is empty/may be empty/" test/slug.test.js >new.test.js
rg-outline diff test/slug.test.js new.test.js; echo "status $?"
rg-outline diff new.test.js new.test.js; echo "status $?"
