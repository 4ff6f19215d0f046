import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { tableFromArrays, tableToIPC } from '@uwdata/flechette';
import { TickhaulError } from '../../src/base/errors.js';
import { inspectCsv } from '../../src/format/csv/inspect-csv.js';
import type { FileAccess } from '../../src/format/output-format.js';
import { createOutputOptions, OUTPUT_FORMATS } from '../../src/format/output-formats.js';
import type { Random } from '../../src/sandbox/simulation/seeded-random.js';
import { csvOf } from '../convert/day-files.js';
import { toRandomBytes } from '../format/arrow/random-bytes.js';
import { pick } from '../format/fuzz/random-rows.js';
import type { FuzzTarget } from '../format/fuzz/target.js';
import { encodeBatches, schemaOf, type TestColumn } from '../format/parquet/batches.js';
import { openDuck } from '../format/parquet/readers.js';
import { createMemorySink } from '../helpers/memory-sink.js';

/** Limits of what one file may cost; the files have a few kilobytes. */
const MAX_SECONDS = 10;
const MAX_MEMORY_KILOBYTES = 300_000;

interface Sample {
  readonly path: string;
  readonly bytes: Buffer;
}

let samples: Promise<readonly Sample[]> | undefined;

/** Inspects damaged files of all formats, of tickhaul and of other writers: each is summarized, or refused as corrupt. */
export const damagedFilesTarget: FuzzTarget = {
  name: 'damaged-files',
  async round(random, keep) {
    samples ??= createSamples();
    const { path, bytes } = pick(random, await samples);
    const isText = path.endsWith('.gz') && random.chance(0.5);
    const damaged = isText
      ? gzipSync(damage(random, gunzipSync(bytes)), { level: 1 })
      : damage(random, bytes, path.endsWith('.parquet') ? 4 : 8);
    keep(damaged);
    const memory = process.resourceUsage().maxRSS;
    const start = process.cpuUsage();
    await inspectBytes(path, damaged);
    const { user, system } = process.cpuUsage(start);
    const seconds = (user + system) / 1e6;
    assert.ok(seconds <= MAX_SECONDS, `${path} took ${seconds} s`);
    const added = process.resourceUsage().maxRSS - memory;
    assert.ok(added <= MAX_MEMORY_KILOBYTES, `${path} took ${added} KB`);
  },
};

/** @throws if the bytes are neither summarized nor refused as corrupt. */
export async function inspectBytes(path: string, bytes: Buffer): Promise<void> {
  const { signal } = new AbortController();
  const files: FileAccess = {
    read: async (_, use) => use(Buffer.from(bytes)),
    openRandom: async () => ({ ...toRandomBytes(bytes), close: async () => {} }),
  };
  const format = (['parquet', 'arrow', 'ndjson'] as const).find((name) => path.includes(`.${name}`));
  try {
    if (!format) await inspectCsv(path, 'trades', files.read, signal);
    else if (path.includes('facts')) await OUTPUT_FORMATS[format].readFacts(path, files, signal);
    else await OUTPUT_FORMATS[format].inspect(path, files, signal);
  } catch (error) {
    if (!(error instanceof TickhaulError) || error.code !== 'corrupt') throw error;
  }
}

/** Changes a few bytes. @param tail share of the changes, one in this many, is anywhere; the others near the end. */
function damage(random: Random, bytes: Buffer, tail = 1): Buffer {
  let damaged: Buffer = Buffer.from(bytes);
  for (let i = 1 + random.int(random.chance(0.7) ? 2 : 12); i > 0; i--) {
    const isAnywhere = random.int(tail) === 0;
    const reach = isAnywhere ? damaged.length : Math.min(damaged.length, 2000);
    const at = damaged.length - random.int(reach + 1);
    const change = random.int(6);
    if (change === 0 && at < damaged.length) damaged[at] = random.int(256);
    else if (change === 1 && at < damaged.length)
      damaged[at] = (damaged[at] as number) ^ (1 << random.int(8));
    else if (change === 2) Buffer.from(pick(random, EXTREMES)).copy(damaged, at);
    else if (change === 3) damaged = splice(damaged, at, 0, Buffer.from(pick(random, EXTREMES)));
    else if (change === 4) damaged = splice(damaged, at, random.int(4), Buffer.alloc(0));
    else {
      const from = random.int(damaged.length + 1);
      damaged = splice(damaged, at, 0, damaged.subarray(from, from + random.int(64)));
    }
  }
  // The length of the footer: mostly, the damage is meant to be behind it.
  return random.chance(0.03) ? damaged.subarray(0, random.int(damaged.length)) : damaged;
}

function splice(bytes: Buffer, at: number, removed: number, inserted: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at + removed)]);
}

/** Large and negative integers of the encodings: varints, and of fixed size. */
const EXTREMES: readonly (readonly number[])[] = [
  [0xff, 0xff, 0xff, 0xff, 0x0f],
  [0xff, 0xff, 0xff, 0xff, 0x07],
  [0xfe, 0xff, 0xff, 0xff, 0x0f],
  [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
  [0x80, 0x80, 0x80, 0x80, 0x80, 0x80],
  [0xff, 0xff, 0xff, 0x7f],
  [0x00, 0x00, 0x00, 0x80],
  [0x00, 0x00, 0x00, 0x40],
  [0xff, 0xff, 0xff, 0xff],
  [0, 0, 0, 0, 0, 0, 0, 0x40],
  [0x80, 0x80, 0x80, 0x40],
  [0xfc],
  [0],
];

const ROWS = 60;

function columns(): readonly TestColumn[] {
  const cells = <T>(cell: (row: number) => T): T[] => Array.from({ length: ROWS }, (_, row) => cell(row));
  return [
    { name: 'symbol', kind: 'text', cells: cells((row) => `S-${row % 3}`) },
    { name: 'local_timestamp', kind: 'time', cells: cells((row) => 1_585_699_200_245_001 + row * 1000) },
    { name: 'id', kind: 'text', cells: cells((row) => (row % 3 === 1 ? null : `id ${row * 7919}`)) },
    { name: 'is_snapshot', kind: 'boolean', cells: cells((row) => (row % 4 === 1 ? null : row % 2 === 0)) },
    { name: 'trades', kind: 'integer', cells: cells((row) => row * 1_000_000_007) },
    { name: 'price', kind: 'number', cells: cells((row) => 6421.5 + (row % 11) / 2) },
  ];
}

async function createSamples(): Promise<readonly Sample[]> {
  const created: Sample[] = [
    { path: 'trades.csv.gz', bytes: gzipSync(csvOf('trades', ROWS)) },
    ...['x.arrow', 'facts.arrow'].map((path) => ({ path, bytes: createForeignArrow() })),
    ...(await createForeignParquet()),
  ];
  const schema = schemaOf(columns());
  for (const name of ['parquet', 'arrow', 'ndjson'] as const) {
    const format = OUTPUT_FORMATS[name];
    for (const compression of format.compressions) {
      const options = createOutputOptions(name, { compression });
      const sink = createMemorySink();
      const writer = await format.createWriter(sink, schema, options);
      for (const batch of await encodeBatches(columns(), 25, options)) await writer.write(batch);
      await writer.finish({ 'tickhaul.source': 'day.csv.gz' });
      const bytes = Buffer.from(sink.bytes());
      created.push({ path: `x.${format.extension(compression)}`, bytes });
      created.push({ path: `facts.${format.extension(compression)}`, bytes });
    }
  }
  return created;
}

function createForeignArrow(): Buffer {
  const table = tableFromArrays({ local_timestamp: [1, 2, 3], s: ['a', 'b', 'a'], n: [1.5, null, 2] });
  return Buffer.from(tableToIPC(table, { format: 'file' }) as Uint8Array);
}

async function createForeignParquet(): Promise<readonly Sample[]> {
  const dir = await mkdtemp(join(tmpdir(), 'tickhaul-fuzz-'));
  const duck = await openDuck();
  try {
    const made: Sample[] = [];
    const table = `SELECT 'S' || (i % 3) AS symbol, 1000 * i AS local_timestamp, 'text ' || i AS t, i / 3.0::DOUBLE AS price,
      CASE WHEN i % 5 > 0 THEN i END::INTEGER AS n, i % 2 = 0 AS even, 1.5::DECIMAL(30, 4) AS d, [i] AS list FROM range(60) t(i)`;
    const flat = `SELECT * EXCLUDE list FROM (${table})`;
    for (const codec of ['uncompressed', 'snappy', 'zstd', 'lz4_raw', 'brotli', 'gzip']) {
      for (const version of ['V1', 'V2']) {
        for (const select of [table, flat, `${flat} LIMIT 0`]) {
          const path = join(dir, 'x.parquet');
          const options = `FORMAT parquet, CODEC '${codec}', PARQUET_VERSION '${version}', ROW_GROUP_SIZE 2048`;
          await duck.query(`COPY (${select}) TO '${path}' (${options})`);
          made.push({ path: 'x.parquet', bytes: await readFile(path) });
        }
      }
    }
    return made;
  } finally {
    duck.close();
    await rm(dir, { recursive: true });
  }
}
