import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TickhaulError } from '../../src/base/errors.js';
import { decideSliceOutcome } from '../../src/fleet/slice-work.js';
import { DOWNLOAD_DEFAULTS } from '../helpers/download-settings.js';

const JOB = { options: { ...DOWNLOAD_DEFAULTS, maxWaitMs: 0 } };

test('a slice whose destination is locked exclusively is not failed, and is returned after a delay', () => {
  const locked = new TickhaulError('locked', 'another run holds the lock');
  const { status, endsWorker, returnDelayMs = 0 } = decideSliceOutcome(locked, JOB, false);
  assert.deepEqual([status, endsWorker], ['returned', undefined]);
  assert.ok(returnDelayMs >= 1000);
  assert.equal(
    decideSliceOutcome(locked, JOB, true).returnDelayMs,
    undefined,
    'a worker that ends keeps nothing',
  );
});
