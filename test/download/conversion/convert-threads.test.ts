import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseDay } from '../../../src/day-files/day.js';
import {
  type ConvertThreads,
  createConvertThreads,
  type ThreadConversion,
} from '../../../src/download/conversion/arrival-work.js';
import { createOutputOptions } from '../../../src/format/output-formats.js';
import { parseComputedTypeName } from '../../../src/market/message-type-name.js';
import { expectedRows, plain } from '../../convert/computed/rows.js';
import { cellsOf, csvOf, parquetRows } from '../../convert/day-files.js';
import { tempDir } from '../../helpers/temp.js';

const SOURCE = { bytes: 1, md5: '0'.repeat(32) };

const threadsOf = (count: number): ConvertThreads => createConvertThreads(count, { stallTimeoutMs: 1000 });

function begin(threads: ConvertThreads, dir: string, name: string): ThreadConversion {
  const target = join(dir, name);
  const options = createOutputOptions('parquet', {});
  const outputs = [{ type: undefined, target, part: `${target}.part` }];
  return threads.start({ path: name, dataType: 'trades', day: parseDay('2024-03-01'), options, outputs });
}

test('many conversions share few threads, chunk by chunk, and each gets its rows', async (t) => {
  const dir = await tempDir(t);
  const threads = threadsOf(2);
  const csvs = [10, 200, 3000, 0, 500].map((rows) => csvOf('trades', rows));
  await Promise.all(
    csvs.map(async (csv, index) => {
      const conversion = begin(threads, dir, String(index));
      const text = Buffer.from(csv);
      // One buffer for all chunks, so each write must copy it.
      const chunk = Buffer.alloc(1000);
      for (let at = 0; at < text.length; at += chunk.length) {
        await conversion.write(chunk.subarray(0, text.copy(chunk, 0, at)));
      }
      const [made] = (await conversion.finish(SOURCE)).outputs ?? [];
      await conversion.abort();
      const bytes = await readFile(join(dir, String(index)));
      assert.deepEqual([made?.bytes, made?.rows], [bytes.length, Math.max(0, csv.split('\n').length - 2)]);
      assert.deepEqual(await parquetRows(bytes), cellsOf('trades', csv));
    }),
  );
  assert.equal((await readdir(dir)).length, csvs.length);
});

test('computed types that alternate in one thread each get their rows, after a failure too', async (t) => {
  const dir = await tempDir(t);
  const threads = threadsOf(1);
  const options = createOutputOptions('parquet', {});
  const beginBars = (name: string): ThreadConversion => {
    const target = join(dir, name);
    const outputs = [{ type: parseComputedTypeName('trade_bar_5ticks'), target, part: `${target}.part` }];
    return threads.start({ path: name, dataType: 'trades', day: parseDay('2024-03-01'), options, outputs });
  };
  const wrong = beginBars('wrong');
  const csvs = [700, 3000, 0].map((rows) => csvOf('trades', rows));
  const works = csvs.map((csv, i) => ({ csv, text: Buffer.from(csv), conversion: beginBars(String(i)) }));
  await wrong.write(Buffer.from(csvOf('trades', 10).replace(/,buy,|,sell,/, ',buy,x')));
  // Split within lines, interleaved with the others.
  for (let at = 0; works.some(({ text }) => at < text.length); at += 999) {
    for (const { text, conversion } of works) await conversion.write(text.subarray(at, at + 999));
  }
  await assert.rejects(wrong.finish(SOURCE), { code: 'corrupt', message: /^wrong: line/ });
  for (const [i, { csv, conversion }] of works.entries()) {
    const expected = expectedRows('trade_bar_5ticks', csv);
    assert.equal((await conversion.finish(SOURCE)).outputs?.[0]?.rows, expected.length);
    assert.deepEqual(plain(await parquetRows(await readFile(join(dir, String(i))))), expected);
    await conversion.abort();
  }
  await wrong.abort();
  assert.deepEqual(await readdir(dir), ['0', '1', '2']);
});

test('a failure is reported by a later write or by the end, and does not affect other conversions', async (t) => {
  const dir = await tempDir(t);
  const threads = threadsOf(1);
  const good = begin(threads, dir, 'good');
  const early = begin(threads, dir, 'early');
  const late = begin(threads, dir, 'late');
  const wrong = Buffer.from('a,b\n1,2\n');
  await early.write(wrong);
  const goOn = async (): Promise<void> => {
    for (let i = 0; i < 20; i++) await early.write(wrong);
  };
  await assert.rejects(goOn(), { code: 'corrupt', message: /^early: line 1/ });
  await late.write(wrong);
  await assert.rejects(late.finish(SOURCE), { code: 'corrupt', message: /^late: line 1/ });
  await good.write(Buffer.from(csvOf('trades', 5)));
  assert.equal((await good.finish(SOURCE)).outputs?.[0]?.rows, 5);
  for (const conversion of [good, early, late]) await conversion.abort();
  assert.deepEqual(await readdir(dir), ['good']);
});

test('an aborted conversion leaves nothing; a folder in place of an output is reported', async (t) => {
  const dir = await tempDir(t);
  const threads = threadsOf(1);
  const broken = begin(threads, dir, 'broken');
  await broken.write(Buffer.from(csvOf('trades', 100)));
  const rows = Buffer.from(csvOf('trades', 3000).replace(/^.*\n/, ''));
  const writing = Promise.all([1, 2, 3, 4, 5, 6].map(() => broken.write(rows)));
  await broken.abort();
  assert.deepEqual(await readdir(dir), [], 'nor does what was on its way come after');
  await writing;
  await writeFile(join(dir, 'file'), '');
  const nowhere = begin(threads, dir, 'file/output');
  await assert.rejects(nowhere.finish(SOURCE), { code: 'path_taken' });
  await nowhere.abort();
  assert.deepEqual(await readdir(dir), ['file']);
});
