import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createFailures } from '../../src/library/failures.js';

test('the error names what gave the run its exit code, where that is not what stopped it', () => {
  const failures = createFailures();
  const error = { code: 'corrupt', message: 'a.csv.gz: not a gzip file' } as const;
  failures.see({ event: 'file', status: 'failed', file: undefined, path: 'a.csv.gz', error });
  const stopped = { code: 'out_of_time', message: 'the time is over' } as const;
  const codeOf = (exitCode: number): string =>
    failures.error({ event: 'summary', exitCode, bytes: 0, seconds: 1, error: stopped }, undefined).code;
  assert.deepEqual([codeOf(6), codeOf(5)], ['corrupt', 'out_of_time']);
});
