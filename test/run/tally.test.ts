import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ERRORS, type ErrorCode, TickhaulError } from '../../src/base/errors.js';
import { parseDay } from '../../src/dataset/day.js';
import type { FileEvent } from '../../src/run/events.js';
import { createTally } from '../../src/run/tally.js';

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

/** What became of the files of a run, besides one that was downloaded. */
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

/** What ends a run for all of its files: an interrupt, a lock that was lost, the disk, the store, the key, the service. */
const FOR_ALL: readonly ErrorCode[] = [
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

function codeOf(files: readonly FileEvent[], stopped: ErrorCode | undefined, strict = true): number {
  const tally = createTally();
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
  test(`the exit code of a run with failures (${name}) names their common reason, or is 3`, () => {
    assert.equal(codeOf(files, undefined), whole);
    assert.equal(codeOf(files, 'out_of_time'), outOfTime, '--max-duration');
    assert.equal(codeOf(files, 'corrupt'), failFast, '--fail-fast');
  });
  test(`what ends a run for all files names its exit code, whatever failed before (${name})`, () => {
    for (const stopped of FOR_ALL) assert.equal(codeOf(files, stopped), ERRORS[stopped].exitCode, stopped);
  });
}

test('pending and unavailable days are failures with strict only', () => {
  assert.equal(codeOf(FILES.pending, undefined, false), 0);
  assert.equal(codeOf(FILES['pending, corrupt'], undefined, false), 6);
  assert.equal(codeOf(FILES.pending, 'out_of_time', false), 5);
});

test('no error that stops a run leaves it with exit code 0', () => {
  for (const code of Object.keys(ERRORS) as ErrorCode[]) {
    for (const files of Object.values(FILES)) assert.notEqual(codeOf(files, code), 0, code);
  }
});
