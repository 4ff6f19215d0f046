import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { ErrorCode } from '../../src/base/errors.js';
import type { FeedFault } from '../../src/sandbox/hosts/sandbox-faults.js';
import { busySandbox } from '../helpers/sandbox.js';
import { tempDir } from '../helpers/temp.js';
import { startFront } from './front.js';
import {
  assertWholeLines,
  countSliceRequests,
  listCachedFiles,
  listMinutes,
  replayInProcess,
  START,
} from './replaying.js';

/** Error code of a replay with each fault if it never heals; undefined if it does no harm. */
const ENDS: Readonly<Record<FeedFault, ErrorCode | undefined>> = {
  'rate-limit': 'rate_limited',
  'transfer-limit': 'transfer_limit',
  'ip-lock': 'ip_locked',
  '500': 'server_error',
  '502': 'server_error',
  '503': 'server_error',
  reset: 'reset',
  stall: 'stalled',
  truncate: 'corrupt',
  short: 'short_body',
  'bit-flip': 'corrupt',
  'no-length': undefined,
  'slow-start': undefined,
  html: 'corrupt',
  trailing: 'corrupt',
  empty: 'corrupt',
  'no-slice-size': undefined,
  'short-slice': undefined,
  'wrong-encoding': 'bad_answer',
  'other-encoding': 'corrupt',
  early: undefined,
  unterminated: 'corrupt',
};

/** Errors that no retry can fix. */
const FINAL = new Set<FeedFault>(['transfer-limit', 'wrong-encoding']);

let undisturbed: Promise<string> | undefined;

/** The output of a service without faults; the same for each fault, so requested once. */
function rightText(t: TestContext): Promise<string> {
  const ask = async (): Promise<string> => {
    const { text, error } = await replayInProcess(await busySandbox(t), await tempDir(t), { to: 12 });
    assert.equal(error, undefined);
    return text;
  };
  undisturbed ??= ask();
  return undisturbed;
}

for (const [kind, code] of Object.entries(ENDS) as [FeedFault, ErrorCode | undefined][]) {
  test(`fault ${kind}: writes and caches nothing wrong, and recovers if possible`, async (t) => {
    const right = await rightText(t);
    const patience = kind === 'stall' ? { stallTimeoutMs: 1000 } : {};

    const folder = await tempDir(t);
    const healing = await busySandbox(t, {
      feeds: { faults: { [kind]: 1 }, faultsPerSlice: 1 },
      retryAfterSeconds: 0,
    });
    const healed = await replayInProcess(healing, folder, { to: 12, ...patience });
    if (!FINAL.has(kind)) {
      assert.equal(healed.error, undefined);
      // A provisional slice cannot be distinguished from minutes without a message.
      if (kind !== 'early') assert.ok(healed.text === right);
    }
    if (code === undefined) return;

    const lasting = await busySandbox(t, { feeds: { faults: { [kind]: 1 } }, retryAfterSeconds: 0 });
    const empty = await tempDir(t);
    const failed = await replayInProcess(lasting, empty, { to: 12, retries: 1, ...patience });
    assert.equal(failed.error?.code, code);
    assert.match(failed.error?.message ?? '', /^bitmex 2024-03-01T00:00: /);
    assert.equal(failed.text, '');
    assert.deepEqual(await listCachedFiles(empty), []);
    assert.equal(countSliceRequests(lasting), FINAL.has(kind) ? 1 : 2);
  });
}

test('random faults change no byte', async (t) => {
  const whole = await busySandbox(t);
  const right = await replayInProcess(whole, await tempDir(t), { to: 120, filters: [] });
  const faults = {
    reset: 0.1,
    truncate: 0.1,
    'bit-flip': 0.1,
    '503': 0.1,
    unterminated: 0.1,
    'short-slice': 0.2,
    'no-slice-size': 0.1,
  };
  // A slice that fails often waits long, since each wait may double.
  const service = await busySandbox(t, { feeds: { faults, faultsPerSlice: 3, suggestedMinutes: 3 } });
  const folder = await tempDir(t);
  const shaken = await replayInProcess(service, folder, { to: 120, filters: [], retries: 5 });
  assert.equal(shaken.error, undefined);
  assert.ok(shaken.text === right.text);
  assert.ok(new Set(service.requests.map(({ fault }) => fault)).size > 4);
  await service.close();
  assert.ok(
    (await replayInProcess(service, folder, { to: 120, filters: [] })).text === right.text,
    'the cache',
  );
});

test('a permanent failure of a slice ends the run after all lines before it', async (t) => {
  // The key covers the first day only, so the second is refused.
  const access = { exchange: 'bitmex', accessType: 'api-key', symbols: [], dataPlan: 'pro' };
  const service = await busySandbox(t, {
    rows: 5000,
    keyAccess: [{ ...access, from: '2024-03-01T00:00:00.000Z', to: '2024-03-02T00:00:00.000Z' }],
  });
  const last = await replayInProcess(service, await tempDir(t), { from: 1400, to: 1500 });
  assert.equal(last.error?.code, 'no_access');
  assert.match(last.error?.message ?? '', /^bitmex 2024-03-0[12]T\d\d:\d\d: /);
  assertWholeLines(last.text);
  const minutes = listMinutes(last.text);
  assert.ok((minutes.at(-1) ?? 0) < 1440 && (minutes.at(-1) ?? 0) >= 1430);
});

test('uses the minutes of a short response, even if the rest of the request fails permanently', async (t) => {
  const service = await busySandbox(t, { feeds: { faults: { 'short-slice': 1 }, suggestedMinutes: 3 } });
  const front = await startFront(t, service, (minute, response) => {
    if (minute === 3) response.writeHead(400).end();
    return minute === 3;
  });
  const { text, error } = await replayInProcess(front, await tempDir(t), { to: 20, filters: [] });
  assert.equal(error?.code, 'rejected');
  assert.match(error?.message ?? '', /^bitmex 2024-03-01T00:03: /);
  assertWholeLines(text);
  // Minutes 1 to 3 were requested together; the response had 1 and 2.
  assert.deepEqual(listMinutes(text), [0, 1, 2]);
});

test('the transfer limit ends a run after the lines before it', async (t) => {
  const service = await busySandbox(t, {
    feeds: { faults: { 'transfer-limit': 0.2 }, suggestedMinutes: 1 },
    seed: 5,
  });
  const folder = await tempDir(t);
  const { text, error } = await replayInProcess(service, folder, { to: 60, filters: [], concurrency: 2 });
  assert.equal(error?.code, 'transfer_limit');
  assertWholeLines(text);
  const failed =
    Date.parse(`${/T(\d\d:\d\d)/.exec(error?.message ?? '')?.[0].replace(/^/, '2024-03-01')}:00Z`) / 60_000 -
    START;
  assert.deepEqual(
    listMinutes(text),
    Array.from({ length: failed }, (_, i) => i),
  );
  assert.ok(failed > 0);
});

test('the request limit slows the run before the service refuses a request', async (t) => {
  const service = await busySandbox(t, { feeds: { requestLimit: 6, windowSeconds: 1, suggestedMinutes: 1 } });
  const { error, events } = await replayInProcess(service, await tempDir(t), { to: 20 });
  assert.equal(error, undefined);
  const refused = service.requests.filter(({ status }) => status === 429);
  assert.deepEqual(refused, []);
  assert.deepEqual(
    events.filter(({ event }) => event === 'pause'),
    [],
  );
});

test('429 pauses all requests for its Retry-After; a longer wait than allowed ends the run', async (t) => {
  const service = await busySandbox(t, {
    feeds: { faults: { 'rate-limit': 1 }, faultsPerSlice: 1 },
    retryAfterSeconds: 1,
  });
  const before = performance.now();
  const healed = await replayInProcess(service, await tempDir(t), { to: 3 });
  assert.equal(healed.error, undefined);
  assert.ok(performance.now() - before >= 1000);
  assert.ok(healed.events.some(({ event }) => event === 'pause'));
  const failed = await replayInProcess(service, await tempDir(t), { from: 10, to: 13, maxWaitMs: 500 });
  assert.equal(failed.error?.code, 'rate_limited');
  assert.match(failed.error?.message ?? '', /longer than --max-wait/);
});
