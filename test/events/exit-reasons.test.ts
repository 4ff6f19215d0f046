import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFailureTracker } from '../../src/events/run-tally.js';

test('the error has the reason for the exit code, even if another error stopped the run', () => {
  const failures = createFailureTracker();
  const error = { code: 'corrupt', message: 'a.csv.gz: not a gzip file' } as const;
  failures.record({ event: 'file', status: 'failed', file: undefined, path: 'a.csv.gz', error });
  const stopped = { code: 'out_of_time', message: 'the time is over' } as const;
  const codeOf = (exitCode: number): string =>
    failures.findReason({ event: 'summary', exitCode, bytes: 0, seconds: 1, error: stopped }).code;
  assert.deepEqual([codeOf(6), codeOf(5)], ['corrupt', 'out_of_time']);
});
