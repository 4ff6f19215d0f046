import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ERROR_TABLE, type ErrorCode, TickhaulError } from '../../src/base/errors.js';
import { parseDay } from '../../src/day-files/day.js';
import type { FileEvent } from '../../src/events/run-events.js';
import { createFailureTracker, createRunTally, mergeSummaries } from '../../src/events/run-tally.js';

const file = {
  exchange: 'deribit',
  dataType: 'trades',
  symbol: 'BTC-PERPETUAL',
  day: parseDay('2024-03-01'),
};

const failed = (code: ErrorCode): FileEvent => ({
  event: 'file',
  status: 'failed',
  file,
  path: 'a.csv.gz',
  error: { code, message: code },
});
const of = (status: FileEvent['status']): FileEvent => ({ event: 'file', status, file, path: 'b.csv.gz' });

/** Results of a run’s files, besides one that was downloaded. */
const FILES = {
  none: [],
  one: [failed('corrupt')],
  alike: [failed('corrupt'), failed('short_body')],
  reset: [failed('reset')],
  several: [failed('corrupt'), failed('reset')],
  refused: [failed('rejected')],
  unauthorized: [of('unauthorized')],
  'unauthorized, corrupt': [of('unauthorized'), failed('corrupt')],
  pending: [of('pending')],
  'pending, corrupt': [of('pending'), failed('corrupt')],
} as const satisfies Readonly<Record<string, readonly FileEvent[]>>;

/** Exit codes without a stop, after `--max-duration`, and after `--fail-fast` by a corrupt file. */
const CODES: Readonly<Record<keyof typeof FILES, readonly [number, number, number]>> = {
  none: [0, 5, 6],
  one: [6, 6, 6],
  alike: [6, 6, 6],
  reset: [5, 5, 3],
  several: [3, 3, 3],
  refused: [3, 3, 3],
  unauthorized: [4, 4, 3],
  'unauthorized, corrupt': [3, 3, 3],
  pending: [7, 7, 3],
  'pending, corrupt': [3, 3, 3],
};

/**
 * Errors that end a run for all files: an interrupt, a lost lock, the disk, the store, the key, the service.
 */
const RUN_ERRORS: readonly ErrorCode[] = [
  'interrupted',
  'terminated',
  'locked',
  'disk',
  'store_down',
  'store_refused',
  'bad_key',
  'ip_locked',
  'rate_limited',
  'transfer_limit',
];

function exitCodeFor(files: readonly FileEvent[], stopped: ErrorCode | undefined, strict = true): number {
  const tally = createRunTally();
  for (const event of [of('downloaded'), ...files]) tally.add(event);
  return tally.summary({
    planned: { files: files.length + (stopped ? 2 : 1) },
    stopped: stopped && new TickhaulError(stopped, stopped),
    strict,
    seconds: 1,
  }).exitCode;
}

for (const [name, [whole, outOfTime, failFast]] of Object.entries(CODES)) {
  const files = FILES[name as keyof typeof FILES];
  test(`the exit code of a run with failures (${name}) is their common code, or 3`, () => {
    assert.equal(exitCodeFor(files, undefined), whole);
    assert.equal(exitCodeFor(files, 'out_of_time'), outOfTime, '--max-duration');
    assert.equal(exitCodeFor(files, 'corrupt'), failFast, '--fail-fast');
  });
  test(`an error that ends a run for all files determines the exit code, whatever failed before (${name})`, () => {
    for (const stopped of RUN_ERRORS)
      assert.equal(exitCodeFor(files, stopped), ERROR_TABLE[stopped].exitCode, stopped);
  });
}

test('pending and unavailable days are failures only with strict', () => {
  assert.equal(exitCodeFor(FILES.pending, undefined, false), 0);
  assert.equal(exitCodeFor(FILES['pending, corrupt'], undefined, false), 6);
  assert.equal(exitCodeFor(FILES.pending, 'out_of_time', false), 5);
});

test('no error that stops a run results in exit code 0', () => {
  for (const code of Object.keys(ERROR_TABLE) as ErrorCode[]) {
    for (const files of Object.values(FILES)) assert.notEqual(exitCodeFor(files, code), 0, code);
  }
});

test('two exports into one folder have its script once', () => {
  const summary = (path: string, command: string) => ({
    ...createRunTally().summary({ planned: undefined, stopped: undefined, strict: false, seconds: 1 }),
    scripts: [{ path, command }],
  });
  const parts = [summary('a', 'first'), summary('b', 'second'), summary('a', 'third')];
  assert.deepEqual(mergeSummaries(parts).scripts, [
    { path: 'a', command: 'third' },
    { path: 'b', command: 'second' },
  ]);
});

test('the error has the reason for the exit code, even if another error stopped the run', () => {
  const failures = createFailureTracker();
  const error = { code: 'corrupt', message: 'a.csv.gz: not a gzip file' } as const;
  failures.record({ event: 'file', status: 'failed', file: undefined, path: 'a.csv.gz', error });
  const stopped = { code: 'out_of_time', message: 'the time is over' } as const;
  const codeOf = (exitCode: number): string =>
    failures.findReason({ event: 'summary', exitCode, bytes: 0, seconds: 1, error: stopped }).code;
  assert.deepEqual([codeOf(6), codeOf(5)], ['corrupt', 'out_of_time']);
});
