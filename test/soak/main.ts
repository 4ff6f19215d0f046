/**
 * A server under faults for some minutes: `npm run soak -- --minutes 10`. Complete responses are compared with those of
 * a server without faults; memory must not grow, and no handle may be left. Linux only: it reads /proc.
 */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Sandbox, SandboxOptions } from '../../src/sandbox/sandbox-options.js';
import { seededRandom } from '../../src/sandbox/simulation/seeded-random.js';
import { cleanUp, killAndWait } from '../helpers/clean-up.js';
import { envOf, type Started, start } from '../helpers/cli.js';
import { tempDir } from '../helpers/temp.js';
import { ask, busySandbox } from '../server/serving.js';
import { CLIENTS, type SoakTarget } from './clients.js';
import { startFaultyExchanges } from './exchanges.js';
import { ALL_REQUESTS } from './soak-requests.js';
import { countOpen, listHandles, median, medianOfThirds, readMemory } from './watch.js';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    clients: { type: 'string', default: '2' },
    seed: { type: 'string', default: String(Date.now()) },
  },
});
const seconds = Number(values.minutes) * 60;
/** Number of clients of each kind. */
const clients = Number(values.clients);

const FAULTS: NonNullable<SandboxOptions['feeds']>['faults'] = {
  'rate-limit': 0.01,
  '500': 0.03,
  '503': 0.03,
  reset: 0.04,
  stall: 0.01,
  truncate: 0.03,
  short: 0.03,
  'bit-flip': 0.02,
  'slow-start': 0.02,
  html: 0.01,
  trailing: 0.01,
  'no-slice-size': 0.02,
  'short-slice': 0.03,
  unterminated: 0.02,
};
/** So small that slices are fetched repeatedly. */
const CACHE_LIMIT = '1MB';
/** Limit of the memory of the last third over that of the first, and extra bytes, since V8 frees some memory late. */
const MARGIN = { share: 1.15, bytes: 16e6 };
/** Maximum duration of any client activity. */
const LONGEST_MS = 90_000;
/** Time in which the server must release all handles. */
const RELEASE_TIMEOUT_MS = 30_000;
const MB = 1e6;

const elapsed = (): string => `${(performance.now() / 1000).toFixed(0)} s`;
const say = (text: string): void => void process.stdout.write(`${text}\n`);

test(`soak, seed ${values.seed}`, async (t) => {
  const calm = await serveAll(t, await busySandbox(t), []);
  const expected = new Map<string, string>();
  for (const { path } of ALL_REQUESTS) {
    const { status, text } = await ask(calm.httpPort, path);
    assert.equal(status, 200, text);
    expected.set(path, text);
  }
  await end(calm.server);
  say(`after ${elapsed()}: ${expected.size} answers known`);

  const random = seededRandom(values.seed);
  const service = await busySandbox(t, { feeds: { faults: FAULTS, suggestedMinutes: 5 } });
  const flags = ['--cache-limit', CACHE_LIMIT, '--retries', '20', '--stall-timeout', '5s'];
  const exchanges = await startFaultyExchanges(t, random);
  const { server, ...ports } = await serveAll(t, service, flags, exchanges);
  const pid = server.child.pid ?? 0;
  const counts = new Map<string, number>();
  const count = (what: string): void => void counts.set(what, (counts.get(what) ?? 0) + 1);
  const waits: number[] = [];
  const waited = (ms: number): void => void waits.push(ms);
  const place: SoakTarget = { ...ports, random, expected, count, waited };
  // Threads and connections that are created once are not a leak.
  await runClients(place, performance.now() + Math.min(20_000, 100 * seconds));
  await assertInTime('all at once', Promise.all(ALL_REQUESTS.map(({ path }) => ask(ports.httpPort, path))));
  say(`after ${elapsed()}: warm`);
  await waitForIdle(ports.httpPort);
  const handles = (): Promise<readonly string[]> => listHandles(pid, Number(new URL(service.apiUrl).port));
  const before = await handles();
  const memory = await watched(pid, runClients(place, performance.now() + 1000 * seconds));
  const after = await waitForRelease(ports.httpPort, before, handles);
  await end(server);
  for (const [what, times] of counts) say(`${times.toLocaleString('en')} ${what}`);
  say(`health checks took ${median(waits).toFixed(0)} ms, and ${Math.max(...waits).toFixed(0)} at most`);
  const [first, last] = medianOfThirds(memory).map((bytes) => bytes / MB) as [number, number];
  say(`memory ${first.toFixed(0)} MB in the first third, ${last.toFixed(0)} MB in the last`);
  say(`handles ${before.length} before, ${after.length} after`);
  assert.ok(last <= first * MARGIN.share + MARGIN.bytes / MB, 'memory grows');
  say(`soaked for ${values.minutes} minutes: nothing wrong, memory flat, no handle left`);
});

interface Serving {
  readonly httpPort: number;
  readonly wsPort: number;
  readonly server: Started;
}

async function serveAll(
  t: TestContext,
  service: Sandbox,
  flags: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Serving> {
  const dir = await tempDir(t);
  const args = ['serve', '--port', '0', '--cache-dir', join(dir, 'slices'), ...flags];
  const server = start(args, { env: { ...envOf(service, dir), ...env } });
  cleanUp(t, () => killAndWait(server.child));
  let text = '';
  server.child.stdout?.on('data', (chunk: string) => {
    text += chunk;
  });
  await server.printed('WS port: ');
  const [, http, ws] = /^HTTP port: (\d+)\nWS port: (\d+)\n/.exec(text) ?? [];
  return { httpPort: Number(http), wsPort: Number(ws), server };
}

/** A signal is its normal end, without a stack trace. */
async function end({ child, finished }: Started): Promise<void> {
  child.kill('SIGTERM');
  const { exitCode, stderr } = await finished;
  assert.equal(exitCode, 0, stderr);
  assert.doesNotMatch(stderr, /^ +at |ExperimentalWarning|MaxListeners/m);
}

/** Runs all clients until a time. @throws the first error of a client. */
async function runClients(place: SoakTarget, until: number): Promise<void> {
  const working = CLIENTS.flatMap((client) =>
    Array.from({ length: clients }, async () => {
      while (performance.now() < until) await assertInTime(client.name, client(place));
    }),
  );
  await Promise.all(working);
}

/** @throws if some work takes too long. */
async function assertInTime<T>(name: string, work: Promise<T>): Promise<T> {
  const stop = new AbortController();
  const late = pause(LONGEST_MS, undefined, { signal: stop.signal }).then(() => {
    throw new Error('it hangs');
  });
  late.catch(() => {});
  try {
    return await Promise.race([work, late]);
  } catch (error) {
    throw new Error(`${name}: ${error instanceof Error ? error.message : error}`, { cause: error });
  } finally {
    stop.abort();
  }
}

/** The memory of a process during some work, sampled every second. */
async function watched(pid: number, work: Promise<void>): Promise<readonly number[]> {
  const memory: number[] = [];
  let isDone = false;
  const watching = (async () => {
    while (!isDone) {
      memory.push(await readMemory(pid));
      await pause(1000);
    }
  })();
  try {
    await work;
  } finally {
    isDone = true;
    await watching;
  }
  return memory;
}

/** Waits until no response is in progress, and no connection open. */
async function waitForIdle(port: number): Promise<void> {
  const until = performance.now() + RELEASE_TIMEOUT_MS;
  let open = await countOpen(port);
  while (open > 0 && performance.now() < until) {
    await pause(200);
    open = await countOpen(port);
  }
  assert.equal(open, 0, 'answers or connections are left open');
}

/** Waits until there are no more handles than before. @returns the handles. */
async function waitForRelease(
  port: number,
  before: readonly string[],
  handles: () => Promise<readonly string[]>,
): Promise<readonly string[]> {
  await waitForIdle(port);
  const until = performance.now() + RELEASE_TIMEOUT_MS;
  let after = await handles();
  while (after.length > before.length && performance.now() < until) {
    await pause(500);
    after = await handles();
  }
  assert.ok(after.length <= before.length, `handles are left:\n${after.join()}\nbefore:\n${before.join()}`);
  return after;
}
