import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { DATA_TYPES, dataTypeColumns } from '../../../src/day-files/data-types.js';
import { createBatchKernel, createOutputOptions } from '../../../src/format/output-formats.js';
import { seededRandom } from '../../../src/sandbox/simulation/seeded-random.js';
import { convertText, kernelsOf } from '../../convert/threads/converting.js';
import { NO_SAMPLES, SAMPLES, SAMPLES_DIR } from '../../helpers/samples.js';
import { rounds } from '../../helpers/services.js';
import { randomRows, textOf } from '../fuzz/random-rows.js';
import { HEADER, ROW } from '../trades.js';

const CSV = createOutputOptions('csv', {});

/** Converts text to CSV, and to NDJSON, which reports the same errors. */
async function convertBoth(
  text: string | Buffer,
  dataType: string,
  chunk: number,
): Promise<{ csv: Buffer | string; ndjson: Buffer | string }> {
  const convert = (format: 'csv' | 'ndjson'): Promise<Buffer | string> =>
    convertText(text, createOutputOptions(format, {}), kernelsOf(0), { dataType, chunk }).catch(
      (error: Error) => error.message,
    );
  return { csv: await convert('csv'), ndjson: await convert('ndjson') };
}

test('real samples stay as they are, to the byte', { skip: NO_SAMPLES }, async () => {
  for (const name of SAMPLES) {
    const text = readFileSync(join(SAMPLES_DIR, name));
    const dataType = DATA_TYPES.findLast((type) => name.includes(`_${type}_`)) ?? '';
    for (const threads of [0, 2]) {
      const csv = await convertText(text, CSV, kernelsOf(threads), { dataType, chunk: 60_000 });
      assert.ok(csv.equals(text), name);
    }
  }
});

const text = fc.oneof(
  fc.constantFrom('', 'buy', '"buy"', '"a,b"', '"say ""x"""', '"two\nlines"', '"é中"', '""', '"\r\n"'),
  fc.string({ unit: 'grapheme', maxLength: 12 }).map((raw) => raw.replace(/[",\r\n]/g, '.')),
);
const number = fc.constantFrom('1', '-0.5', '007.50', '1e-7', '"12"', '', '12x', '0.1234567890123456789');
const time = fc.constantFrom('1585699200245000', '"1585699200245000"', '007', '-1');
const row = fc
  .tuple(
    fc.constantFrom('deribit', '"deribit"'),
    fc.constantFrom('A', '"B,C"'),
    time,
    time,
    text,
    text,
    number,
    number,
  )
  .map((cells) => cells.join());

test('random rows with quotes, in chunks of any size, stay as they are, or are refused as in NDJSON', async () => {
  let kept = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(row, { maxLength: 8 }),
      fc.constantFrom('\n', '\r\n'),
      fc.boolean(),
      fc.integer({ min: 1, max: 200 }),
      async (rows, end, hasLastEnd, chunk) => {
        const whole = [HEADER, ...rows].map((line) => line + end).join('');
        const input = hasLastEnd ? whole : whole.slice(0, -end.length);
        const { csv, ndjson } = await convertBoth(input, 'trades', chunk);
        if (typeof ndjson === 'string') return assert.equal(csv, ndjson);
        kept++;
        assert.equal(csv.toString(), hasLastEnd ? whole : `${input}\n`);
      },
    ),
    { numRuns: rounds(150) },
  );
  assert.ok(kept > 8, `${kept} files were valid`);
});

test('random rows of every data type, some damaged, stay as they are, or are refused as in NDJSON', async () => {
  for (const [i, dataType] of DATA_TYPES.entries()) {
    const random = seededRandom('csv', i);
    const schema = dataTypeColumns(dataType) ?? [];
    const header = Buffer.from(`${schema.map(({ name }) => name).join()}\n`);
    for (let round = 0; round < rounds(15); round++) {
      const rows = textOf(random, randomRows(random, schema, random.int(300)), true);
      const input = Buffer.concat([header, rows]);
      const { csv, ndjson } = await convertBoth(input, dataType, 1 + random.int(5000));
      if (typeof ndjson === 'string') assert.equal(csv, ndjson);
      else {
        const hasEnd = input.at(-1) === 10;
        assert.equal(csv.toString('latin1'), input.toString('latin1') + (hasEnd ? '' : '\n'));
      }
    }
  }
});

test('keeps a header with quotes, unknown columns and CRLF; writes one for an empty file', async () => {
  const odd = '"exchange",symbol,timestamp,local_timestamp,id,side,price,amount,"a ""b"",c"\r\n';
  const given = `${odd}${ROW},x\r\n`;
  assert.equal((await convertText(given, CSV, kernelsOf(0))).toString(), given);
  assert.equal((await convertText('', CSV, kernelsOf(0))).toString(), `${HEADER}\n`);
  assert.equal((await convertText(HEADER, CSV, kernelsOf(0))).toString(), `${HEADER}\n`);
});

test('compressed batches, inflated, are the text', async () => {
  const rows = Array.from({ length: 30_000 }, (_, i) => ROW.replace('a1', `${i}`)).join('\n');
  const given = `${HEADER}\n${rows}\n`;
  for (const threads of [0, 2]) {
    const csv = await convertText(
      given,
      createOutputOptions('csv', { compression: 'gzip' }),
      kernelsOf(threads),
    );
    assert.equal(gunzipSync(csv).toString(), given);
  }
});

test('keeps the bytes of a batch valid while the next one begins', async () => {
  const kernel = await createBatchKernel({
    source: 'x',
    schema: dataTypeColumns('trades') ?? [],
    options: CSV,
  });
  const append = (id: string): void =>
    kernel.parse(kernel.getPieceBuffer().write(`${ROW.replace('a1', id)}\n`));
  append('one');
  const first = kernel.finish();
  append('two');
  append('three');
  const second = kernel.finish();
  assert.deepEqual(
    [first, second].map((batch) => [batch?.rows, Buffer.from(batch?.bytes ?? []).toString()]),
    [
      [1, `${ROW.replace('a1', 'one')}\n`],
      [2, `${ROW.replace('a1', 'two')}\n${ROW.replace('a1', 'three')}\n`],
    ],
  );
  kernel.appendRow(
    ROW.replace('a1', 'a "b", c')
      .split(/,(?! )/)
      .map((cell) => Buffer.from(cell)),
  );
  assert.equal(
    Buffer.from(kernel.finish()?.bytes ?? []).toString(),
    `${ROW.replace('a1', '"a ""b"", c"')}\n`,
  );
  assert.equal(kernel.finish(), undefined);
  assert.equal(kernel.line, 6);
});
