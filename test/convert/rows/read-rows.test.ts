import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { TickhaulError } from '../../../src/base/errors.js';
import { readRowsInThread } from '../../../src/convert/rows/read-rows.js';
import {
  type RowsRequest,
  type RowsResult,
  type RowsSink,
  readRowsInline,
} from '../../../src/convert/rows/read-rows-inline.js';
import { DATA_TYPES, dataTypeColumns } from '../../../src/day-files/data-types.js';
import { type Batch, copyBatch } from '../../../src/format/batch.js';
import { openFiles } from '../../../src/store/open-files.js';
import { makeUpRows, toCsv } from '../../audit/text-rows.js';
import { tempDir } from '../../helpers/temp.js';

type Read = (request: RowsRequest, sink: RowsSink, signal: AbortSignal) => Promise<RowsResult>;

const files = openFiles(undefined);
const READS: Readonly<Record<string, Read>> = {
  'in this thread': (request, sink, signal) => readRowsInline(request, files, sink, signal),
  'in another thread': (request, sink, signal) => readRowsInThread(request, undefined, sink, signal),
};
const NEVER = new AbortController().signal;
const ROWS = 2000;

function request(path: string, dataType: string | undefined): RowsRequest {
  return {
    path,
    dataType,
    batchRows: 100,
    numberText: 'all',
    hash: 'md5',
    inflateThreads: undefined,
    allowsEmpty: true,
  };
}

async function writeDay(t: TestContext, csv: string): Promise<string> {
  const path = join(await tempDir(t), 'a.csv.gz');
  await writeFile(path, gzipSync(csv));
  return path;
}

const csvByType = new Map<string, string>();

function makeCsv(dataType: string): string {
  const columns = (dataTypeColumns(dataType) ?? []).map(({ name }) => name);
  const csv =
    csvByType.get(dataType) ?? toCsv(columns, makeUpRows({ dataType, rows: ROWS, seed: 7, faults: 0 }));
  csvByType.set(dataType, csv);
  return csv;
}

/** Everything that a read passes on. */
interface Collected {
  readonly batches: readonly unknown[];
  readonly bytes: number;
  readonly facts: RowsResult;
}

async function collect(read: Read, asked: RowsRequest): Promise<Collected> {
  const batches: unknown[] = [];
  let bytes = 0;
  const onBatch = async (batch: Batch, dataType: string): Promise<void> => {
    const isValid = copyBatch(batch).batch;
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(batch, isValid, 'the batch changed before it was used');
    batches.push(isValid, dataType);
  };
  const onBytes = (count: number): void => {
    bytes += count;
  };
  const facts = await read(asked, { onBatch, onBytes }, NEVER);
  return { batches, bytes, facts };
}

test('passes on the columns that are used', async (t) => {
  const path = await writeDay(t, makeCsv('trades'));
  for (const [name, read] of Object.entries(READS)) {
    const all = await collect(read, request(path, 'trades'));
    const some = await collect(read, { ...request(path, 'trades'), columns: ['price', 'symbol'] });
    assert.deepEqual(some.facts, all.facts, name);
    const { schema, columns, ...rest } = all.batches[0] as Batch;
    const indices = ['symbol', 'price'].map((column) => schema.findIndex((field) => field.name === column));
    assert.deepEqual(some.batches[0], {
      ...rest,
      schema: indices.map((index) => schema[index]),
      columns: indices.map((index) => columns[index]),
    });
  }
});

test('reads the same batches in another thread', async (t) => {
  assert.ok(DATA_TYPES.length > 0);
  for (const dataType of DATA_TYPES) {
    const path = await writeDay(t, makeCsv(dataType));
    const [here, there] = await Promise.all(
      Object.values(READS).map((read) => collect(read, request(path, dataType))),
    );
    assert.deepEqual(there, here, dataType);
    assert.equal(here?.batches.length, 2 * (ROWS / 100), dataType);
    assert.equal(here?.bytes, here?.facts.bytes);
  }
});

test('gives the schema, the data type and a warning of a file without rows', async (t) => {
  const header = makeCsv('trades').split('\n', 1);
  const path = await writeDay(t, `${header},surplus\n`);
  for (const [name, read] of Object.entries(READS)) {
    const { batches, facts } = await collect(read, request(path, undefined));
    assert.deepEqual(batches, [], name);
    assert.equal(facts.dataType, 'trades', name);
    assert.equal(facts.schema.at(-1)?.name, 'surplus', name);
    assert.match(facts.warning ?? '', /surplus/, name);
  }
});

test('reads an empty file of an unknown data type as no rows', async (t) => {
  const path = await writeDay(t, '');
  for (const read of Object.values(READS)) {
    const { batches, facts } = await collect(read, request(path, undefined));
    assert.deepEqual([batches, facts.schema], [[], []]);
  }
});

for (const [name, read] of Object.entries(READS)) {
  const sink = (onBatch: RowsSink['onBatch']): RowsSink => ({ onBatch, onBytes: () => {} });

  test(`${name}: passes no batch after one whose use failed, and throws its error`, async (t) => {
    const csv = makeCsv('trades');
    // A damaged end of the file is not reached.
    const path = await writeDay(t, `${csv}broken row`);
    let calls = 0;
    const failing = sink(async () => {
      calls++;
      await new Promise((resolve) => setImmediate(resolve));
      if (calls === 2) throw new Error('bad row');
    });
    await assert.rejects(read(request(path, 'trades'), failing, NEVER), { message: 'bad row' });
    assert.equal(calls, 2);
  });

  test(`${name}: passes the batches before a corrupt row, and names the row`, async (t) => {
    const path = await writeDay(t, `${makeCsv('trades')}broken row\n`);
    let rows = 0;
    const counting = sink((batch) => {
      rows += batch.rows;
    });
    await assert.rejects(read(request(path, 'trades'), counting, NEVER), {
      name: 'TickhaulError',
      code: 'corrupt',
      message: new RegExp(`a\\.csv\\.gz.*line ${ROWS + 2}`),
    });
    assert.equal(rows, ROWS);
  });

  test(`${name}: throws for a file that is cut off, or does not exist`, async (t) => {
    const path = join(await tempDir(t), 'cut.csv.gz');
    const gzip = gzipSync(makeCsv('trades'));
    await writeFile(path, gzip.subarray(0, gzip.length - 9));
    await assert.rejects(
      read(
        request(path, 'trades'),
        sink(() => {}),
        NEVER,
      ),
      { code: 'corrupt' },
    );
    await assert.rejects(
      read(
        request(`${path}x`, 'trades'),
        sink(() => {}),
        NEVER,
      ),
      { code: 'unreadable' },
    );
  });

  test(`${name}: throws what onBytes throws`, async (t) => {
    const path = await writeDay(t, makeCsv('trades'));
    const failing: RowsSink = {
      onBatch: () => {},
      onBytes: () => {
        throw new Error('no progress');
      },
    };
    await assert.rejects(read(request(path, 'trades'), failing, NEVER), { message: 'no progress' });
  });

  test(`${name}: stops when it is aborted while batches wait`, async (t) => {
    const path = await writeDay(t, makeCsv('trades'));
    const stop = new AbortController();
    const reason = new TickhaulError('interrupted', 'stopped by the test');
    const aborting = sink(async () => {
      stop.abort(reason);
      await new Promise((resolve) => setImmediate(resolve));
    });
    await assert.rejects(read(request(path, 'trades'), aborting, stop.signal), { message: reason.message });
  });
}
