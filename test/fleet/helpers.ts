import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Sandbox, SandboxOptions } from '../../src/sandbox/sandbox-options.js';
import { openFolderManifest } from '../../src/store/folder/folder-manifest.js';
import { cleanUp, killAndWait } from '../helpers/clean-up.js';
import { envOf, type Started, start, succeeded } from '../helpers/cli.js';
import { runHere } from '../helpers/in-process.js';
import { startRedis, type TestRedis } from '../helpers/redis.js';
import { sandbox } from '../helpers/sandbox.js';
import type { ContextWith } from '../helpers/services.js';
import { tempDir } from '../helpers/temp.js';

const SELECTION = [
  ...['binance-futures', '-t', 'trades,quotes', '-s', 'BTCUSDT,ETHUSDT'],
  ...['--from', '2024-02-27', '--to', '2024-03-05', '--slice', '2d'],
];
export const FILES = 28;

interface Work {
  readonly service: Sandbox;
  readonly redis: TestRedis;
  readonly dir: string;
  readonly env: Record<string, string>;
}

export async function createWork(
  t: ContextWith<'redis'>,
  options: SandboxOptions = {},
  flags: readonly string[] = [],
): Promise<Work> {
  const service = await sandbox(t, { rows: 50, ...options });
  const redis = await startRedis(t);
  const dir = join(await tempDir(t), 'data');
  const env = { ...envOf(service, dir), TICKHAUL_QUEUE_URL: redis.url };
  await succeeded(runHere(['enqueue', ...SELECTION, ...flags], { env }));
  return { service, redis, dir, env };
}

/** Callback for a service, and a promise that resolves when this many of its day files were requested. */
export function createRequestTrigger(count: number): {
  readonly onRequest: NonNullable<SandboxOptions['onRequest']>;
  readonly reached: Promise<void>;
} {
  let asked = 0;
  let onReached = (): void => {};
  const reached = new Promise<void>((resolve) => {
    onReached = resolve;
  });
  return { reached, onRequest: ({ host }) => host === 'datasets' && ++asked === count && onReached() };
}

/** A worker whose slices are given to another after a second without a heartbeat; half of it is not a whole number. */
export function startShortLockWorker(t: TestContext, { env }: Work): Started {
  const started = start(['worker', '--once', '-j', '2', '--lock-duration', '1001ms'], { env });
  cleanUp(t, () => killAndWait(started.child));
  return started;
}

export const requestedDayFiles = ({ service }: Work): readonly string[] =>
  service.requests.filter(({ host }) => host === 'datasets').map(({ url }) => url);

/** Every file exists, is complete, and is recorded once. */
export async function assertComplete({ dir, env }: Work): Promise<void> {
  const manifest = await openFolderManifest(dir, { warn: assert.fail });
  const paths = [...manifest.records()].map(({ path }) => path);
  await manifest.close();
  assert.equal(paths.length, FILES);
  await succeeded(runHere(['verify', '--json'], { env }));
}
