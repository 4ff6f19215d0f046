import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { HeadObjectCommand } from '@aws-sdk/client-s3';
import type { Sandbox, SandboxOptions } from '../../../src/sandbox/sandbox-options.js';
import { envOf, type Finished, type Started, start } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { bucketFor, type TestBucket } from '../../helpers/s3/bucket.js';
import { type Shim, shimFor } from '../../helpers/s3/shim.js';
import { sandbox } from '../../helpers/sandbox.js';
import type { ContextWith } from '../../helpers/services.js';
import { tempDir } from '../../helpers/temp.js';

const TYPES = ['incremental_book_L2', 'quotes', 'trades'];
/** Downloads all files of the service. */
export const DOWNLOAD = [
  ...['download', 'binance-futures', '-t', TYPES.join(), '-s', 'BTCUSDT', '--date', '2024-03-01'],
];

const BOOK = 'exchange,symbol,timestamp,local_timestamp,is_snapshot,side,price,amount\n';
const BOOK_ROW = 'binance-futures,BTCUSDT,1709251200000000,1709251200000100,false,bid,61000.5,0.25\n';
const TRADES = 'exchange,symbol,timestamp,local_timestamp,id,side,price,amount\n';
const TRADE = 'binance-futures,BTCUSDT,1709251200000000,1709251200000100,7,buy,61000.5,0.25\n';
const QUOTES = 'exchange,symbol,timestamp,local_timestamp,ask_amount,ask_price,bid_price,bid_amount\n';
const QUOTE = 'binance-futures,BTCUSDT,1709251200000000,1709251200000100,0.5,61000.5,61000.1,0.25\n';
/** Enough rows for two parts, since they are not compressed. */
export const BOOK_ROWS = 110_000;

/** Day files by their flat names. */
export const DAY_FILES: Readonly<Record<string, Buffer>> = {
  'binance-futures_incremental_book_L2_2024-03-01_BTCUSDT.csv.gz': gzipSync(
    BOOK + BOOK_ROW.repeat(BOOK_ROWS),
    { level: 0 },
  ),
  'binance-futures_quotes_2024-03-01_BTCUSDT.csv.gz': gzipSync(QUOTES + QUOTE.repeat(50)),
  'binance-futures_trades_2024-03-01_BTCUSDT.csv.gz': gzipSync(TRADES + TRADE.repeat(70)),
};
export const NAMES = Object.keys(DAY_FILES);

export interface StoreRig {
  readonly service: Sandbox;
  readonly bucket: TestBucket;
  readonly shim: Shim;
  readonly env: Record<string, string>;
  /** The destination under a prefix. */
  at(prefix: string): string;
  /** Runs a command in this process. */
  run(...words: readonly string[]): Promise<Finished>;
  /** Runs a command as a separate process. */
  start(...words: readonly string[]): Started;
  /** Addresses of requested day files. */
  asked(): readonly string[];
  /** Keys under a prefix, without the prefix and without the state of tickhaul. */
  files(prefix: string): Promise<readonly string[]>;
  /** Checks that objects are complete, and that recorded ones exist. @returns recorded paths. */
  assertTrue(prefix: string): Promise<readonly string[]>;
}

/** A service of three day files, and a bucket of a real store behind a shim. */
export async function storeRig(t: ContextWith<'store'>, options: SandboxOptions = {}): Promise<StoreRig> {
  const dir = await tempDir(t);
  const replayDir = join(dir, 'source');
  await mkdir(replayDir);
  for (const [name, bytes] of Object.entries(DAY_FILES)) await writeFile(join(replayDir, name), bytes);
  const service = await sandbox(t, { replayDir, retryAfterSeconds: 0, ...options });
  const bucket = await bucketFor(t);
  const shim = await shimFor(t, bucket.gateway.endpoint);
  const { TICKHAUL_DIR: _, ...ours } = envOf(service, dir);
  const env = { ...ours, ...bucket.envHere(shim.endpoint) };
  const files = async (prefix: string): Promise<readonly string[]> =>
    (await bucket.keys(`${prefix}/`))
      .map((key) => key.slice(prefix.length + 1))
      .filter((path) => !path.startsWith('.tickhaul/'));
  return {
    service,
    bucket,
    shim,
    env,
    at: (prefix) => `s3://${bucket.name}/${prefix}`,
    run: (...words) => runHere(words, { env }),
    start: (...words) => start(words, { env }),
    asked: () => service.requests.filter(({ host }) => host === 'datasets').map(({ url }) => url),
    files,
    async assertTrue(prefix) {
      for (const path of await files(prefix)) {
        const name = path.slice(path.lastIndexOf('/') + 1);
        if (name.endsWith('.csv.gz'))
          assert.ok((await bucket.read(`${prefix}/${path}`)).equals(DAY_FILES[name] ?? Buffer.of()), path);
      }
      return recordsRequests(bucket, prefix);
    },
  };
}

interface SegmentLine {
  readonly path: string;
  readonly bytes: number;
  readonly rows: number;
  readonly written: number;
  readonly dropped?: boolean;
  readonly object?: { readonly etag: string };
}

/** Paths of the newest records whose objects exist. */
async function recordsRequests({ name, client, keys, read }: TestBucket, prefix: string): Promise<string[]> {
  const newest = new Map<string, SegmentLine>();
  for (const key of await keys(`${prefix}/.tickhaul/manifest/`)) {
    for (const line of String(await read(key)).split('\n')) {
      if (line === '' || line.startsWith('{"base"')) continue;
      const record = JSON.parse(line) as SegmentLine;
      if ((newest.get(record.path)?.written ?? 0) < record.written) newest.set(record.path, record);
    }
  }
  for (const { path, bytes, object, dropped } of newest.values()) {
    if (dropped === true) continue;
    const standing = await client.send(new HeadObjectCommand({ Bucket: name, Key: `${prefix}/${path}` }));
    assert.equal(standing.ContentLength, bytes, path);
    assert.equal(standing.ETag?.replaceAll('"', ''), object?.etag, path);
  }
  return [...newest.keys()].sort();
}

/** Checks that a text contains no credentials. */
export function assertNoSecret({ stdout, stderr }: Finished, { env }: StoreRig): void {
  const printed = stdout + stderr;
  for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY', 'TICKHAUL_API_KEY'])
    assert.ok(!printed.includes(env[name] ?? ''), name);
  assert.doesNotMatch(printed, /Signature=|X-Amz-|AWS4-HMAC|made-up\//i);
}

/** Rows of a day file without its header. */
export const rowsOf = (name: string): number =>
  gunzipSync(DAY_FILES[name] ?? Buffer.of()).filter((byte) => byte === 10).length - 1;
