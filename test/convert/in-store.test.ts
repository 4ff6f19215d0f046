import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type ConvertFileJob, type ConvertFileResult, convertFile } from '../../src/convert/convert-file.js';
import { runConvertJob } from '../../src/convert/convert-job.js';
import { openProvenanceStore } from '../../src/convert/output/provenance-store.js';
import { createConvertOptions, type Format } from '../../src/format/convert-options.js';
import { parseComputedTypeName } from '../../src/market/names/data-type-name.js';
import { type ObjectFiles, objectFiles } from '../helpers/object-files.js';
import { tempDir } from '../helpers/temp.js';
import { csvOf, parquetRows, writeDayFile } from './day-files.js';

const { signal } = new AbortController();
const KEY = 'raw/deribit_trades_2024-03-01_BTC-PERPETUAL.csv.gz';
const SOURCE = `s3://bucket/${KEY}`;
const CSV = csvOf('trades', 500);

function stored(bytes: Uint8Array = gzipSync(CSV)): ObjectFiles {
  const files = objectFiles();
  files.bucket.write(KEY, bytes);
  return files;
}

function jobOf(
  target: string,
  format: Format = 'parquet',
  rest: Partial<ConvertFileJob> = {},
): ConvertFileJob {
  const options = createConvertOptions(format, {});
  const common = {
    dataType: 'trades',
    existing: 'skip',
    keepSource: true,
    spareProcessors: 0,
    provenance: undefined,
  } as const;
  return { source: SOURCE, target, options, ...common, ...rest };
}

function convert(files: ObjectFiles, job: ConvertFileJob): Promise<ConvertFileResult> {
  files.asked.length = 0;
  return convertFile(job, files, () => {}, signal);
}

/** The same conversion on disk, to compare with. */
async function onDisk(t: TestContext, format: Format): Promise<Buffer> {
  const dir = await tempDir(t);
  const source = await writeDayFile(dir, 'trades', CSV);
  const target = join(dir, 'out');
  await convertFile(jobOf(target, format, { source }), objectFiles(), () => {}, signal);
  return readFile(target);
}

test('an object is converted to an object, and left alone while its ETag is the same', async (t) => {
  const files = stored();
  const target = 's3://bucket/out/a.parquet';
  const first = await convert(files, jobOf(target));
  assert.equal(first.status, 'converted');
  const made = files.bucket.bytes('out/a.parquet') ?? Buffer.alloc(0);
  assert.deepEqual(await parquetRows(made), await parquetRows(await onDisk(t, 'parquet')));

  const { rows, bytes } = first;
  assert.deepEqual(await convert(files, jobOf(target)), { status: 'skipped', rows, bytes });
  assert.ok(!files.asked.includes(`get ${SOURCE}`), 'the source is not read again');
  assert.equal(
    files.asked.filter((asked) => asked.startsWith('get ')).length,
    1,
    'the footer is one request',
  );
  assert.equal(files.asked.filter((asked) => asked === `head ${target}`).length, 1, 'it is looked at once');

  files.bucket.write(KEY, gzipSync(CSV, { level: 1 }));
  assert.equal((await convert(files, jobOf(target))).status, 'converted');
});

test('a source in a store goes only where it is the object that was read', async () => {
  const files = stored();
  const gone = await convert(files, jobOf('s3://bucket/out/a.parquet', 'parquet', { keepSource: false }));
  assert.equal(gone.warning, undefined);
  assert.equal(files.bucket.bytes(KEY), undefined);

  const replaced = stored();
  const put = replaced.openPart;
  const late = {
    ...replaced,
    openPart: (...args: Parameters<typeof put>) => {
      replaced.bucket.write(KEY, gzipSync(CSV, { level: 1 }));
      return put(...args);
    },
  };
  const kept = await convert(late, jobOf('s3://bucket/out/a.parquet', 'parquet', { keepSource: false }));
  assert.match(kept.warning ?? '', /changed during the conversion; keeping it/);
  assert.ok(replaced.bucket.bytes(KEY));
});

test('of a source that is cut or wrong nothing stands in the store', async () => {
  const whole = gzipSync(CSV);
  for (const [bytes, code] of [
    [whole.subarray(0, -10), 'corrupt'],
    [gzipSync(`${CSV}deribit,X,soon,1,a,buy,1,1\n`), 'corrupt'],
  ] as const) {
    const files = stored(bytes);
    await assert.rejects(convert(files, jobOf('s3://bucket/out/a.parquet')), { code });
    assert.deepEqual(files.bucket.keys(), [KEY]);
  }
});

test('notes of NDJSON in a store are objects of their own, which tell the same again', async (t) => {
  const files = stored();
  const root = 's3://bucket/out';
  const target = `${root}/day/a.ndjson`;
  const notes = await openProvenanceStore(root, files, new AbortController().signal);
  assert.equal(await notes.get(target), undefined);
  const { provenance = {}, bytes } = await convert(files, jobOf(target, 'ndjson'));
  assert.deepEqual(files.bucket.bytes('out/day/a.ndjson'), await onDisk(t, 'ndjson'));
  await notes.add(target, { ...provenance, 'tickhaul.output_bytes': String(bytes) });
  assert.ok(files.bucket.bytes('out/.tickhaul/conversions/day/a.ndjson.json'));

  const noted = await (await openProvenanceStore(root, files, new AbortController().signal)).get(target);
  assert.equal((await convert(files, jobOf(target, 'ndjson', { provenance: noted }))).status, 'skipped');
  files.bucket.write('out/day/a.ndjson', '{}\n');
  assert.equal((await convert(files, jobOf(target, 'ndjson', { provenance: noted }))).status, 'converted');
});

test('computed types are made of an object, from a store to disk as well', async (t) => {
  const dir = await tempDir(t);
  const files = stored();
  const types = ['trade_bar_1m', 'trade_bar_1s'].map((name) => parseComputedTypeName(name));
  const outputs = types.map((type) => ({
    type,
    target: join(dir, `${type.name}.parquet`),
    provenance: undefined,
  }));
  const { target: _, provenance: _provenance, spareProcessors: _spare, ...job } = jobOf('');
  const make = (source: string): ReturnType<typeof runConvertJob> =>
    runConvertJob({ ...job, source, outputs, day: undefined }, files, () => {}, signal);
  const made = await make(SOURCE);
  assert.deepEqual(
    made.map(({ status }) => status),
    ['converted', 'converted'],
  );
  const bars = await Promise.all(outputs.map(({ target }) => readFile(target)));
  const again = await make(SOURCE);
  assert.deepEqual(
    again.map(({ status }) => status),
    ['skipped', 'skipped'],
  );
  const local = await writeDayFile(dir, 'trades', CSV);
  await make(local);
  for (const [at, { target }] of outputs.entries()) {
    assert.deepEqual(
      await parquetRows(await readFile(target)),
      await parquetRows(bars[at] ?? Buffer.alloc(0)),
    );
  }
});
