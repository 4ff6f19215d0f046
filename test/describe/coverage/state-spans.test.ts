import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { packStates, splitIntoSpans, unpackStates } from '../../../src/describe/coverage/coverage-facts.js';

const states = fc
  .array(fc.tuple(fc.constantFrom('p', 'e', 'm'), fc.integer({ min: 1, max: 400 })))
  .map((runs) => runs.map(([state, days]) => state.repeat(days)).join(''));

test('packed states are not longer and unpack to the same text', () => {
  assert.equal(packStates(`${'p'.repeat(300)}mmp`), 'p300m2p');
  fc.assert(
    fc.property(states, (text) => {
      assert.equal(unpackStates(packStates(text)), text);
      assert.ok(packStates(text).length <= text.length);
    }),
  );
});

test('runs are contiguous, and neighbours have different states', () => {
  fc.assert(
    fc.property(states, (text) => {
      let end = 0;
      for (const [i, { state, start, days }] of splitIntoSpans(text).entries()) {
        assert.equal(start, end);
        assert.equal(text.slice(start, start + days), state.repeat(days));
        assert.notEqual(splitIntoSpans(text)[i - 1]?.state, state);
        end = start + days;
      }
      assert.equal(end, text.length);
    }),
  );
});
