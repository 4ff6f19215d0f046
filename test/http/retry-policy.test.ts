import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TickhaulError } from '../../src/base/errors.js';
import { createPause, waitToRetry } from '../../src/http/retry-policy.js';

/** Waits end at once when the signal is aborted. */
const ABORTED = AbortSignal.abort();

/** Waits after a failed attempt. @returns what the wait has called. */
async function retry(cause: TickhaulError, failedAttempts: number, retries = 3): Promise<unknown[]> {
  const calls: unknown[] = [];
  await waitToRetry(cause, failedAttempts, {
    retries,
    maxWaitMs: 60_000,
    pause: createPause(),
    concurrency: { limit: 1, onSuccess: () => {}, onCongestion: (_, kind) => void calls.push(kind) },
    signal: ABORTED,
    onRetry: (waitMs, { code }) => void calls.push(['retry', code, waitMs]),
    onPause: (waitMs) => void calls.push(['pause', waitMs]),
  });
  return calls;
}

test('waits between 0 and a bound that doubles, and at least as long as the service asks', async () => {
  for (const failedAttempts of [1, 2, 3]) {
    const [, [, code, waitMs]] = (await retry(new TickhaulError('reset', 'cut'), failedAttempts)) as [
      string,
      [string, string, number],
    ];
    assert.equal(code, 'reset');
    assert.ok(waitMs >= 0 && waitMs < 250 * 2 ** (failedAttempts - 1), `${waitMs} ms`);
  }
  const asked = await retry(new TickhaulError('server_error', 'busy', { retryAfterMs: 5000 }), 1);
  assert.deepEqual(asked, [['retry', 'server_error', 5000]]);
});

test('a limit of the service pauses the whole run and lowers the concurrency', async () => {
  const limited = new TickhaulError('rate_limited', 'too many', { retryAfterMs: 2000 });
  assert.deepEqual(await retry(limited, 1), ['rate', ['retry', 'rate_limited', 2000], ['pause', 2000]]);
});

test('ends after the retries in a row, fewer if the error says so, and at once if none can help', async () => {
  const cut = new TickhaulError('reset', 'cut');
  await retry(cut, 3);
  await assert.rejects(retry(cut, 4), cut);
  const twice = new TickhaulError('corrupt', 'bad', { maxRetries: 1 });
  await retry(twice, 1);
  await assert.rejects(retry(twice, 2), twice);
  const gone = new TickhaulError('unavailable', 'gone');
  await assert.rejects(retry(gone, 1), gone);
});

test('a wait that is longer than allowed ends the attempts, and is named', async () => {
  const later = new TickhaulError('rate_limited', 'too many', { status: 429, retryAfterMs: 61_000 });
  await assert.rejects(retry(later, 1), {
    code: 'rate_limited',
    status: 429,
    message: 'too many; the wait of 61s is longer than --max-wait',
  });
});
