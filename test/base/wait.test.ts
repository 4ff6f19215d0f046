import assert from 'node:assert/strict';
import { test } from 'node:test';
import { wait } from '../../src/base/wait.js';

test('a wait that is longer than a timer can run is not over at once', async () => {
  const stop = new AbortController();
  const long = wait(2 ** 31 + 5, stop.signal);
  const first = await Promise.race([long.then(() => 'long'), wait(50).then(() => 'short')]);
  stop.abort();
  await assert.rejects(long, { code: 'interrupted' });
  assert.equal(first, 'short');
});
