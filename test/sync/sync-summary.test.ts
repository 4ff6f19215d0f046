import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ErrorCode, TickhaulError } from '../../src/base/errors.js';
import type { JobSummary } from '../../src/events/run-events.js';
import { createSyncSummary } from '../../src/sync/run-sync-jobs.js';

const job = (exitCode: number, error?: ErrorCode, failed = 0): JobSummary => ({
  name: 'job',
  exitCode,
  counts: failed > 0 ? { failed } : {},
  unfinished: error === 'out_of_time' ? 1 : 0,
  bytes: 0,
  seconds: 0,
  ...(error && { error: { code: error, message: error } }),
  newSymbols: [],
  delistedSymbols: [],
});

const LATE = new TickhaulError('not_exported', 'late');

/** Jobs, and the exit code of the sync. */
const SYNCS: readonly (readonly [string, readonly JobSummary[], number])[] = [
  ['all is there', [job(0), job(0)], 0],
  ['one common reason', [job(6, undefined, 1), job(0), job(6, undefined, 2)], 6],
  ['several reasons', [job(6, undefined, 1), job(5, undefined, 1)], 3],
  ['out of time', [job(0), job(5, 'out_of_time')], 5],
  ['out of time, with a failure in the same job', [job(6, 'out_of_time', 1)], 6],
  ['out of time, with a failure in another job', [job(6, undefined, 1), job(5, 'out_of_time')], 6],
  ['out of time, with failures of its own code', [job(6, undefined, 1), job(5, 'out_of_time', 1)], 3],
  ['out of time, without a key', [job(4, 'out_of_time')], 4],
  ['a job that cannot be planned', [job(0), job(5, 'unreachable')], 5],
  ['a job that cannot be planned, and a failure', [job(6, undefined, 1), job(5, 'unreachable')], 3],
  ['a full disk, whatever failed before', [job(6, undefined, 1), job(8, 'disk'), job(8, 'disk')], 8],
  ['an interrupt', [job(6, undefined, 1), job(130, 'interrupted')], 130],
  ['a lost lock', [job(9, 'locked'), job(9, 'locked')], 9],
  ['a lost lock, whatever failed before', [job(6, undefined, 1), job(9, 'locked')], 9],
];

for (const [name, jobs, exitCode] of SYNCS) {
  test(`the exit code of a sync: ${name}`, () => {
    assert.equal(createSyncSummary(jobs, undefined, 1).exitCode, exitCode);
  });
}

test('an export that is not complete in time is a reason like that of a failed file', () => {
  assert.equal(createSyncSummary([job(0)], LATE, 1).exitCode, 7);
  assert.equal(createSyncSummary([job(6, undefined, 1)], LATE, 1).exitCode, 3);
  assert.equal(createSyncSummary([job(5, 'out_of_time')], LATE, 1).exitCode, 7);
  assert.equal(createSyncSummary([job(8, 'disk')], LATE, 1).exitCode, 8);
});
