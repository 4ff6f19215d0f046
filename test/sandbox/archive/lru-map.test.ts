import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LruMap } from '../../../src/sandbox/archive/lru-map.js';

test('a map drops the least recently used entries above its size, but none of size 0', () => {
  const map = new LruMap<string>(5, (text) => text.length);
  map.set('free', '');
  map.set('a', 'aa');
  map.set('b', 'bb');
  assert.equal(map.get('a'), 'aa');
  map.set('c', 'cc');
  assert.deepEqual([...map.values()], ['', 'aa', 'cc']);
  map.set('a', 'a');
  map.set('d', 'dd');
  assert.deepEqual([...map.values()], ['', 'cc', 'a', 'dd']);
  map.delete('c');
  map.set('e', 'ee');
  assert.deepEqual([...map.values()], ['', 'a', 'dd', 'ee']);
  map.set('large', 'larger');
  assert.deepEqual([...map.values()], ['']);
});
