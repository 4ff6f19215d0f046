import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LineStore } from '../../../src/store/manifest/manifest-line.js';

test('contains the same lines as a Map of strings', () => {
  const key = fc.constantFrom('a', 'b', 'c', 'd/é');
  const line = fc.oneof(fc.string({ unit: 'binary' }), fc.constant('x'.repeat(70_000)));
  fc.assert(
    fc.property(fc.array(fc.tuple(key, line), { maxLength: 30 }), (settings) => {
      const store = new LineStore();
      const map = new Map<string, string>();
      for (const [path, text] of settings) {
        store.set(path, text);
        map.set(path, Buffer.from(text).toString());
        assert.equal(store.get(path), map.get(path));
      }
      assert.equal(store.size, map.size);
      assert.deepEqual([...store.values()], [...map.values()]);
      assert.equal(store.has('none') || store.get('none') !== undefined, false);
    }),
  );
});

test('returns lines unchanged if they fill several blocks or exceed a block', () => {
  const store = new LineStore();
  const long = 'y'.repeat(20_000_000);
  const lines = Array.from({ length: 40 }, (_, at) => (at === 20 ? long : `${at}`.repeat(500_000)));
  for (const [at, line] of lines.entries()) store.set(`${at}`, line);
  for (const [at, line] of lines.entries()) assert.equal(store.get(`${at}`) === line, true, `line ${at}`);
});
