import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createSkipMemory } from '../../../src/download/plan/create-download-plan.js';

test('remembers exactly the indexes that were added', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat(100_000), { maxLength: 50 }), (places) => {
      const memory = createSkipMemory();
      for (const place of places) memory.add(place);
      const known = new Set(places);
      for (const place of places.flatMap((at) => [at - 1, at, at + 1, at + 8])) {
        assert.equal(memory.has(place), known.has(place), `place ${place}`);
      }
    }),
  );
});
