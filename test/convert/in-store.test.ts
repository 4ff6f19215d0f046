import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { TickhaulError } from '../../src/base/errors.js';
import type { OutputFormatName } from '../../src/base/output-format-names.js';
import { createDeferred } from '../../src/base/wait.js';
import {
  type ConvertFileJob,
  type ConvertFileResult,
  convertFile,
  readUnchangedSource,
} from '../../src/convert/convert-file.js';
import { runConvertJob } from '../../src/convert/convert-job.js';
import { convertToFileWith } from '../../src/convert/convert-to-file.js';
import { openProvenanceStore } from '../../src/convert/existing-outputs.js';
import type { RunEvent, RunSummary } from '../../src/events/run-events.js';
import { createOutputOptions } from '../../src/format/output-formats.js';
import { parseComputedTypeName } from '../../src/market/message-type-name.js';
import type { Files } from '../../src/store/files.js';
import { readWithFlechette } from '../format/arrow/read-arrow.js';
import { type ObjectFiles, objectFiles } from '../helpers/memory-destination.js';
import { tempDir } from '../helpers/temp.js';
import { csvOf, parquetRows, writeDayFile } from './day-files.js';

const { signal } = new AbortController();
const KEY = 'raw/deribit_trades_2024-03-01_BTC-PERPETUAL.csv.gz';
const SOURCE = `s3://bucket/${KEY}`;
const CSV = csvOf('trades', 500);

function createStore(bytes: Uint8Array = gzipSync(CSV)): ObjectFiles {
  const files = objectFiles();
  files.bucket.write(KEY, bytes);
  return files;
}

function createJob(
  target: string,
  format: OutputFormatName = 'parquet',
  rest: Partial<ConvertFileJob> = {},
): ConvertFileJob {
  const options = createOutputOptions(format, {});
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

/** Runs the same conversion on disk, for comparison. */
async function convertOnDisk(t: TestContext, format: OutputFormatName): Promise<Buffer> {
  const dir = await tempDir(t);
  const source = await writeDayFile(dir, 'trades', CSV);
  const target = join(dir, 'out');
  await convertFile(createJob(target, format, { source }), objectFiles(), () => {}, signal);
  return readFile(target);
}

/** Formats with metadata, with a function that reads the rows of a file. */
const READERS: Readonly<Record<string, (file: Buffer) => unknown>> = {
  parquet: parquetRows,
  arrow: readWithFlechette,
};

for (const [name, readRows] of Object.entries(READERS)) {
  test(`converts an object to an object, and skips it while its ETag is the same: ${name}`, async (t) => {
    const format = name as OutputFormatName;
    const files = createStore();
    const target = `s3://bucket/out/a.${name}`;
    const first = await convert(files, createJob(target, format));
    assert.equal(first.status, 'converted');
    const output = files.bucket.bytes(`out/a.${name}`) ?? Buffer.alloc(0);
    assert.deepEqual(await readRows(output), await readRows(await convertOnDisk(t, format)));

    const { rows, bytes } = first;
    assert.deepEqual(await convert(files, createJob(target, format)), { status: 'skipped', rows, bytes });
    assert.ok(!files.asked.includes(`get ${SOURCE}`), 'the source is not read again');
    assert.equal(
      files.asked.filter((asked) => asked.startsWith('get ')).length,
      1,
      'the footer is one request',
    );
    assert.equal(files.asked.filter((asked) => asked === `head ${target}`).length, 1, 'one stat');

    files.bucket.write(KEY, gzipSync(CSV, { level: 1 }));
    assert.equal((await convert(files, createJob(target, format))).status, 'converted');
  });
}

test('removes a source in a store only if it is the object that was read', async () => {
  const files = createStore();
  const gone = await convert(files, createJob('s3://bucket/out/a.parquet', 'parquet', { keepSource: false }));
  assert.equal(gone.warning, undefined);
  assert.equal(files.bucket.bytes(KEY), undefined);

  const replaced = createStore();
  const put = replaced.openPart;
  const late = {
    ...replaced,
    openPart: (...args: Parameters<typeof put>) => {
      replaced.bucket.write(KEY, gzipSync(CSV, { level: 1 }));
      return put(...args);
    },
  };
  const kept = await convert(late, createJob('s3://bucket/out/a.parquet', 'parquet', { keepSource: false }));
  assert.match(kept.warning ?? '', /changed during the conversion; keeping it/);
  assert.ok(replaced.bucket.bytes(KEY));
});

test('leaves no object for a source that is cut or invalid', async () => {
  const whole = gzipSync(CSV);
  for (const [bytes, code] of [
    [whole.subarray(0, -10), 'corrupt'],
    [gzipSync(`${CSV}deribit,X,soon,1,a,buy,1,1\n`), 'corrupt'],
  ] as const) {
    const files = createStore(bytes);
    await assert.rejects(convert(files, createJob('s3://bucket/out/a.parquet')), { code });
    assert.deepEqual(files.bucket.keys(), [KEY]);
  }
});

test('keeps provenance of NDJSON in a store in separate objects, and skips by it', async (t) => {
  const files = createStore();
  const root = 's3://bucket/out';
  const target = `${root}/day/a.ndjson`;
  const records = await openProvenanceStore(root, files, new AbortController().signal);
  assert.equal(await records.get(target), undefined);
  const { provenance = {}, bytes } = await convert(files, createJob(target, 'ndjson'));
  assert.deepEqual(files.bucket.bytes('out/day/a.ndjson'), await convertOnDisk(t, 'ndjson'));
  await records.add(target, { ...provenance, 'tickhaul.output_bytes': String(bytes) });
  assert.ok(files.bucket.bytes('out/.tickhaul/conversions/day/a.ndjson.json'));

  const storedRecord = await (await openProvenanceStore(root, files, new AbortController().signal)).get(
    target,
  );
  assert.equal(
    (await convert(files, createJob(target, 'ndjson', { provenance: storedRecord }))).status,
    'skipped',
  );
  files.bucket.write('out/day/a.ndjson', '{}\n');
  assert.equal(
    (await convert(files, createJob(target, 'ndjson', { provenance: storedRecord }))).status,
    'converted',
  );
});

test('reads an object whose text several threads inflate, with its ETag', async () => {
  const files = createStore();
  const found = await files.stat(SOURCE, signal);
  assert.ok(found);
  const texts: Buffer[] = [];
  const onText = (text: Buffer): void => void texts.push(Buffer.from(text));
  let bytes = 0;
  const onBytes = (count: number): void => {
    bytes += count;
  };
  const reading = { onText, onBytes, inflateThreads: 1, signal };
  const content = await readUnchangedSource(files, SOURCE, found, reading);
  assert.equal(Buffer.concat(texts).toString(), CSV);
  assert.deepEqual([content.bytes, content.etag, bytes], [found.bytes, found.etag, found.bytes]);
  files.bucket.write(KEY, gzipSync(CSV).subarray(0, -1));
  await assert.rejects(readUnchangedSource(files, SOURCE, found, reading), {
    code: 'corrupt',
    message: /ends early/,
  });
});

test('computes types of an object, also to files on disk', async (t) => {
  const dir = await tempDir(t);
  const files = createStore();
  const types = ['trade_bar_1m', 'trade_bar_1s'].map((name) => parseComputedTypeName(name));
  const outputs = types.map((type) => ({
    type,
    target: join(dir, `${type.name}.parquet`),
    provenance: undefined,
  }));
  const { target: _, provenance: _provenance, ...job } = createJob('');
  const compute = (source: string): ReturnType<typeof runConvertJob> =>
    runConvertJob({ ...job, source, outputs, day: undefined }, files, () => {}, signal);
  const results = await compute(SOURCE);
  assert.deepEqual(
    results.map(({ status }) => status),
    ['converted', 'converted'],
  );
  const bars = await Promise.all(outputs.map(({ target }) => readFile(target)));
  const again = await compute(SOURCE);
  assert.deepEqual(
    again.map(({ status }) => status),
    ['skipped', 'skipped'],
  );
  const local = await writeDayFile(dir, 'trades', CSV);
  await compute(local);
  for (const [at, { target }] of outputs.entries()) {
    assert.deepEqual(
      await parquetRows(await readFile(target)),
      await parquetRows(bars[at] ?? Buffer.alloc(0)),
    );
  }
});

test('requests the next objects of one file while the first one arrives', async () => {
  const files = createStore();
  const paths = ['03-01', '03-02', '03-03'].map((day) => SOURCE.replace('03-01', day));
  for (const path of paths) files.bucket.write(path.replace('s3://bucket/', ''), gzipSync(CSV));
  const secondIsRequested = createDeferred<void>();
  const read: Files['read'] = async (path, use, signal) => {
    if (path === paths[1]) secondIsRequested.resolve();
    if (path === paths[0]) await secondIsRequested.promise;
    return files.read(path, use, signal);
  };
  const summary = await convertToFileWith(
    {
      paths,
      target: 's3://bucket/out/all.ndjson',
      options: createOutputOptions('ndjson', {}),
      jobs: 1,
      existing: 'skip',
      keepSource: true,
      emit: () => {},
      signal,
    },
    { ...files, read },
  );
  assert.equal(summary.exitCode, 0);
  const rows = files.bucket.bytes('out/all.ndjson')?.toString('utf8').split('\n').length;
  assert.equal(rows, 1501);
});

for (const format of ['parquet', 'ndjson'] as const) {
  test(`converts objects to one object, and skips it while their ETags are the same: ${format}`, async () => {
    const files = createStore();
    const next = KEY.replace('03-01', '03-02');
    files.bucket.write(next, gzipSync(CSV));
    const convertAll = async (): Promise<unknown> => {
      files.asked.length = 0;
      const events: RunEvent[] = [];
      const summary = await convertToFileWith(
        {
          paths: [`s3://bucket/${next}`, SOURCE],
          target: `s3://bucket/out/all.${format}`,
          options: createOutputOptions(format, {}),
          jobs: 2,
          existing: 'skip',
          keepSource: true,
          emit: (event) => void events.push(event),
          signal,
        },
        files,
      );
      assert.equal(summary.exitCode, 0);
      return events.flatMap((event) => (event.event === 'file' ? [[event.status, event.rows]] : []));
    };
    assert.deepEqual(await convertAll(), [['converted', 1000]]);
    assert.deepEqual(await convertAll(), [['skipped', 1000]]);
    assert.ok(!files.asked.includes(`get ${SOURCE}`), 'no source is read again');
    files.bucket.write(next, gzipSync(CSV, { level: 1 }));
    assert.deepEqual(await convertAll(), [['converted', 1000]]);
    const notes = files.bucket.keys().filter((key) => key.includes('.tickhaul'));
    assert.deepEqual(notes, format === 'ndjson' ? ['out/.tickhaul/conversions/all.ndjson.json'] : []);
  });
}

test('one file with rows of removed objects is not replaced while it cannot be read', async () => {
  const files = createStore();
  const target = 's3://bucket/out/all.parquet';
  const convertOne = async (path: string, files: Files): Promise<RunSummary> =>
    convertToFileWith(
      {
        paths: [path],
        target,
        options: createOutputOptions('parquet', {}),
        jobs: 1,
        existing: 'skip',
        keepSource: false,
        emit: () => {},
        signal,
      },
      files,
    );
  assert.equal((await convertOne(SOURCE, files)).exitCode, 0);
  const before = files.bucket.bytes('out/all.parquet');
  const next = KEY.replace('03-01', '03-02');
  files.bucket.write(next, gzipSync(CSV));
  const busy: Files = {
    ...files,
    openRandom: async (path) => {
      throw new TickhaulError('store_down', `${path}: the store does not answer`);
    },
  };
  assert.equal((await convertOne(`s3://bucket/${next}`, busy)).exitCode, 5);
  assert.deepEqual(files.bucket.keys(), ['out/all.parquet', next]);
  assert.equal(files.bucket.bytes('out/all.parquet'), before);
});
