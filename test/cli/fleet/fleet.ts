import { join } from 'node:path';
import type { SandboxOptions } from '../../../src/sandbox/sandbox-options.js';
import { envOf, type Finished, type JsonLine, jsonLines, succeeded } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { startRedis, type TestRedis } from '../../helpers/redis.js';
import { sandbox } from '../../helpers/sandbox.js';
import type { ContextWith } from '../../helpers/services.js';
import { tempDir } from '../../helpers/temp.js';
import { listNames } from '../../verify/helpers.js';

/** Day files of a folder that also contains the cache of records. */
export const filesIn = async (dir: string): Promise<readonly string[]> =>
  (await listNames(dir)).filter((name) => name.endsWith('.csv.gz'));

export const NAMED = ['binance-futures', '-t', 'trades,quotes', '-s', 'BTCUSDT,ETHUSDT'];
export const DAYS = ['--from', '2024-02-28', '--to', '2024-03-04'];
/** Two series of two symbols in two months. */
export const SLICES = 8;
export const FILES = 20;

export interface Fleet {
  readonly redis: TestRedis;
  readonly dir: string;
  readonly env: Record<string, string>;
  readonly requests: () => readonly string[];
  run(...args: readonly string[]): Promise<Finished>;
}

export async function fleetOf(t: ContextWith<'redis'>, options: SandboxOptions = {}): Promise<Fleet> {
  const service = await sandbox(t, { rows: 50, ...options });
  const redis = await startRedis(t);
  const dir = join(await tempDir(t), 'data');
  const env = { ...envOf(service, dir), TICKHAUL_QUEUE_URL: redis.url };
  const requests = (): readonly string[] =>
    service.requests.filter(({ host }) => host === 'datasets').map(({ url }) => url);
  return { redis, dir, env, requests, run: (...args) => runHere(args, { env }) };
}

export const lastOf = (ended: Finished): JsonLine | undefined => jsonLines(ended).at(-1);

export async function enqueue(fleet: Fleet, ...flags: readonly string[]): Promise<JsonLine | undefined> {
  const days = flags.includes('--to') ? DAYS.slice(0, 2) : DAYS;
  const types = flags.includes('-t')
    ? NAMED.filter((word) => word !== '-t' && !word.includes('trades'))
    : NAMED;
  const ended = await succeeded(fleet.run('enqueue', ...types, ...days, '--json', ...flags));
  return lastOf(ended);
}
