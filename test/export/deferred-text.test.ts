import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DeferredText } from '../../src/export/deferred-text.js';

test('passes copies of texts on in their order, one at a time, while the next one is there', async () => {
  const passed: string[] = [];
  let isBusy = false;
  const deferred = new DeferredText(async (text) => {
    assert.equal(isBusy, false);
    isBusy = true;
    await new Promise((resolve) => setImmediate(resolve));
    passed.push(String(text));
    isBusy = false;
  });
  const memory = Buffer.alloc(1);
  for (const [i, letter] of ['a', 'b', 'c'].entries()) {
    memory.write(letter);
    await deferred.push(memory);
    assert.equal(passed.length, i, 'the last text is not passed yet');
  }
  await deferred.end();
  assert.deepEqual(passed, ['a', 'b', 'c']);
});

test('rejects the next text and the end with an error of the sink, and passes nothing more', async () => {
  let calls = 0;
  const deferred = new DeferredText(() => {
    calls++;
    throw new Error('bad row');
  });
  await deferred.push(Buffer.from('a'));
  await assert.rejects(deferred.push(Buffer.from('b')), /bad row/);
  await assert.rejects(deferred.end(), /bad row/);
  assert.equal(calls, 1);
});
