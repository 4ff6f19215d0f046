import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ERROR_TABLE, type ErrorCode, type ErrorJudgement, judgeError } from '../../src/base/errors.js';

const codesWith = (isMet: (judgement: ErrorJudgement) => boolean): readonly string[] =>
  (Object.keys(ERROR_TABLE) as ErrorCode[]).filter((code) => isMet(judgeError({ code })));

test('a lost upload is retried with a new upload, and every other retry repeats the request', () => {
  assert.deepEqual(
    codesWith(({ canRetryFile, canRepeatRequest }) => canRetryFile !== canRepeatRequest),
    ['upload_lost'],
  );
});

test('only a limit of the service pauses the whole run; all else that affects it ends it', () => {
  assert.deepEqual(
    codesWith(({ canRetryFile, affectsRun }) => canRetryFile && affectsRun),
    ['ip_locked', 'rate_limited'],
  );
  assert.deepEqual(
    codesWith(({ endsRun, affectsRun }) => endsRun && !affectsRun),
    ['locked'],
    'a lock that one file meets affects no other file; a lost lock ends the run',
  );
});

test('a live stream reconnects after every error except wrong usage', () => {
  assert.deepEqual(
    codesWith(({ endsStream }) => endsStream),
    ['usage'],
  );
});
