import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { TickhaulError } from '../../src/base/errors.js';
import type { DataType } from '../../src/dataset/data-types.js';
import type { TimedLines } from '../../src/market/lines/line-buffer.js';
import { Merge } from '../../src/market/merge.js';
import { parseDataTypeName } from '../../src/market/names/data-type-name.js';
import { createHandover } from '../../src/replay/handover.js';
import { lineBuffers, makeLines, shareReading } from '../../src/replay/series-lines.js';
import { startSeriesThread } from '../../src/replay/threads/series-thread.js';
import type { ReadingSizes, ReplaySeries } from '../../src/replay/types.js';
import { csvOf, writeDayFile } from '../convert/day-files.js';
import { tempDir } from '../helpers/temp.js';
import { ALWAYS, linesOf } from '../market/lines-of.js';

const TYPES = ['trade', 'trade_bar_10s', 'book_change', 'quote'].map(parseDataTypeName);
const { signal } = new AbortController();

function here(
  series: readonly ReplaySeries[],
  sizes: ReadingSizes,
  period = ALWAYS,
): AsyncIterable<TimedLines>[] {
  const reading = shareReading(sizes);
  return series.map((one) =>
    createHandover(lineBuffers(sizes), (exchange) => makeLines(one, period, reading, exchange, signal)),
  );
}

async function merged(inputs: readonly AsyncIterable<TimedLines>[]): Promise<string> {
  const merge = new Merge(inputs);
  const parts: string[] = [];
  while (await merge.fill()) {
    while (merge.next()) {
      const { bytes, ends } = merge.batch;
      const from = merge.start === 0 ? 0 : (ends[merge.start - 1] ?? 0);
      parts.push(Buffer.from(bytes.subarray(from, ends[merge.end - 1])).toString());
    }
  }
  return parts.join('');
}

/** Some series of files of which the last rows have quotes, so that the parsers in turns read both ways. */
async function someSeries(dir: string): Promise<ReplaySeries[]> {
  const kinds: readonly DataType[] = ['trades', 'incremental_book_L2', 'trades', 'incremental_book_L2'];
  return Promise.all(
    kinds.map(async (dataType, at) => {
      const csv = csvOf(dataType, 1000 + 500 * at);
      const [, row = ''] = csv.split('\n');
      const quoted = row.replaceAll(/[^,]+/g, '"$&"');
      const path = await writeDayFile(dir, dataType, `${csv}${quoted}\n${row}`, `S${at}`);
      const types = TYPES.filter(({ dayFiles }) => dayFiles === dataType);
      return { exchange: 'deribit', dataType, types, symbols: undefined, paths: [path, path] };
    }),
  );
}

function withWrongChecksum(gzip: Buffer): Buffer {
  gzip.writeUInt32LE((gzip.readUInt32LE(gzip.length - 8) ^ 1) >>> 0, gzip.length - 8);
  return gzip;
}

test('a thread gives the same bytes as this one, whatever comes at once', async (t) => {
  const series = await someSeries(await tempDir(t));
  const expected = await merged(here(series, { textChunk: 1024 * 1024, openFiles: 16 }));
  assert.ok(expected.length > 2_000_000, `${expected.length} bytes`);
  for (const textChunk of [1024, 16_384]) {
    const sizes = { textChunk, openFiles: 2 };
    assert.ok((await merged(here(series, sizes))) === expected, `${textChunk} here`);
    const thread = startSeriesThread({ series, period: ALWAYS, sizes });
    t.after(() => thread.close());
    const inputs = series.map((_, at) => thread.lines(at));
    assert.ok((await merged(inputs)) === expected, `${textChunk} in a thread`);
  }
});

test('a file is read no further than to the end of the period, whatever comes behind it', async (t) => {
  const [whole] = (await someSeries(await tempDir(t))) as [ReplaySeries];
  const [path = ''] = whole.paths;
  const rows = gunzipSync(await readFile(path))
    .toString()
    .split('\n');
  const time = Number(rows[500]?.split(',')[3]);
  await writeFile(path, withWrongChecksum(await readFile(path)));
  const period = { ...ALWAYS, end: time };
  const names = whole.types.map(({ name }) => name);
  const expected = linesOf('trades', rows.slice(0, 501).join('\n'), names, { period }).map(
    ({ text }) => `${text}\n`,
  );
  assert.ok(expected.length > 400, `${expected.length} lines`);
  const sizes = { textChunk: 1024, openFiles: 1 };
  const series = [{ ...whole, paths: [path, `${path}.none`] }];
  assert.equal(await merged(here(series, sizes, period)), expected.join(''));
});

test('an error in a thread is the one that it is here, and comes after the lines before it', async (t) => {
  const dir = await tempDir(t);
  const [whole, other] = (await someSeries(dir)) as [ReplaySeries, ReplaySeries];
  const [path = ''] = whole.paths;
  const broken = path.replace('S0', 'S9');
  await writeFile(broken, withWrongChecksum(await readFile(path)));
  const series = [{ ...whole, paths: [path, broken] }, other];
  const sizes = { textChunk: 16_384, openFiles: 2 };
  const read = async (lines: AsyncIterable<TimedLines> | undefined): Promise<[number, string, string]> => {
    let count = 0;
    try {
      for await (const part of lines ?? []) count += part.count;
    } catch (error) {
      assert.ok(error instanceof TickhaulError);
      return [count, error.code, error.message];
    }
    throw new Error('no error');
  };
  const thread = startSeriesThread({ series, period: ALWAYS, sizes });
  t.after(() => thread.close());
  const [count, code, message] = await read(thread.lines(0));
  assert.deepEqual([count, code, message], await read(here(series, sizes)[0]));
  assert.ok(count >= 1000, `${count} lines`);
  assert.equal(code, 'corrupt');
  await thread.close();
  await assert.rejects(async () => {
    for await (const _ of thread.lines(1));
  });
});
