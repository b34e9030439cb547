test('needs a server', async () => {
  if (!process.env.SERVER) return;
  expect(await connect()).toBe(true);
});

test('needs a platform', () => {
  if (process.platform === 'win32') {
    return;
  }
  expect(link()).toBe('a');
});

test('ends early by a value', () => {
  const found = find();
  expect(found).toBeDefined();
  if (!found) return;
  expect(found.size).toBeCloseTo(1.5, 3);
});
