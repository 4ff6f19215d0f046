import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Column, dataTypeColumns } from '../../../src/day-files/data-types.js';
import { ColumnParser } from '../../../src/format/columns/column-kernel.js';
import { ColumnMemory } from '../../../src/format/columns/column-memory.js';
import type { BatchKernel } from '../../../src/format/output-format.js';
import { createBatchKernel, createOutputOptions } from '../../../src/format/output-formats.js';
import { seededRandom } from '../../../src/sandbox/simulation/seeded-random.js';
import { rounds } from '../../helpers/services.js';
import { referenceBatches } from '../reference/csv/parser.js';
import { createReferenceEncoder } from '../reference/parquet/row-group.js';
import { rowGroupTarget } from './row-group-target.js';

const SOURCE = 'day.csv.gz';
const TRADES = dataTypeColumns('trades') ?? [];
const createRow = (id: string, price = '6421.5'): string =>
  `deribit,BTC,1585699200245000,1585699200355684,${id},buy,${price},18640\n`;

test('encodes random rows in pieces, and reports errors, like the reference', async () => {
  for (let round = 0; round < rounds(25); round++) {
    await rowGroupTarget.round(seededRandom('gate', 'row-group', round), () => {});
  }
});

function parseText(kernel: BatchKernel, text: string): void {
  const bytes = Buffer.from(text);
  kernel.getPieceBuffer().set(bytes);
  kernel.parse(bytes.length);
}

async function createKernel(
  chosen: { rowGroup?: number; numbers?: 'string' },
  schema: readonly Column[] = TRADES,
) {
  const options = createOutputOptions('parquet', { compression: 'none', ...chosen });
  return createBatchKernel({ source: SOURCE, schema, options });
}

test('ends a batch on request, but never an empty one', async () => {
  const kernel = await createKernel({});
  assert.equal(kernel.finish(), undefined);
  parseText(kernel, createRow('a') + createRow('b'));
  assert.equal(kernel.finish()?.rows, 2);
  assert.equal(kernel.finish(), undefined);
});

test('keeps a batch valid while the next one is encoded', async () => {
  const kernel = await createKernel({});
  let last: { readonly bytes: Uint8Array; readonly copy: Uint8Array } | undefined;
  for (let i = 0; i < 5; i++) {
    parseText(kernel, createRow(`${i}`, `${i}`) + createRow('b'));
    const encoded = kernel.finish();
    assert.ok(encoded);
    if (last) assert.deepEqual(last.bytes, last.copy);
    last = { bytes: encoded.bytes, copy: Uint8Array.from(encoded.bytes) };
  }
});

test('encodes a batch of long texts like the reference', async () => {
  const long = 'é'.repeat(3000);
  const text = Array.from({ length: 800 }, (_, i) => createRow(`${i}${long}`)).join('');
  const kernel = await createKernel({});
  const piece = createRow(`0${long}`).length * 2;
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length; ) {
    const found = bytes.indexOf(10, Math.min(bytes.length - 1, from + piece));
    kernel.getPieceBuffer().set(bytes.subarray(from, found + 1));
    kernel.parse(found + 1 - from);
    from = found + 1;
  }
  const group = kernel.finish();
  const encode = await createReferenceEncoder({
    schema: TRADES,
    compression: 'none',
    times: 'timestamp',
    numbers: 'double',
  });
  const reading = { source: SOURCE, schema: TRADES, batchRows: 131_072, numberText: false };
  const [expected] = referenceBatches(bytes, reading).map(encode);
  assert.equal(group?.rows, expected?.rows);
  assert.ok(Buffer.from(group?.bytes ?? []).equals(expected?.bytes ?? bytes));
});

test('errors state the line, wherever the batch begins', async () => {
  const kernel = await createKernel({ rowGroup: 10 });
  kernel.line = 1001;
  parseText(kernel, createRow('a') + createRow('b'));
  kernel.finish();
  parseText(kernel, createRow('c'));
  kernel.appendRow(
    createRow('x\ny')
      .trimEnd()
      .split(',')
      .map((cell) => Buffer.from(cell)),
  );
  assert.throws(() => parseText(kernel, createRow('d') + createRow('e', '1.5x')), {
    code: 'corrupt',
    message: /^day\.csv\.gz: line 1007, column price: "1\.5x" is not a decimal number/,
  });
});

test('refuses more rows than a batch has', async () => {
  const kernel = await createKernel({ rowGroup: 2 });
  const rows = createRow('a') + createRow('b') + createRow('c');
  assert.throws(() => parseText(kernel, rows), /day\.csv\.gz: a batch has too many rows/);
});

test('reports createRow groups that do not fit into memory', async () => {
  const schema = Array.from({ length: 600 }, (_, i): Column => ({ name: `c${i}`, kind: 'number' }));
  await assert.rejects(createKernel({ rowGroup: 1024 * 1024 }, schema), {
    code: 'usage',
    message: /^--row-group: 1048576 rows of 600 columns do not fit into 4 GiB/,
  });
});

test('parses a million decimals as Number(text), to the bit', () => {
  const random = seededRandom('decimals');
  const digits = (count: number): string => {
    let text = '';
    while (text.length < count) text += String(random.next()).slice(2);
    return text.slice(0, count);
  };
  const decimal = (): string => {
    if (random.chance(0.1))
      return String((random.next() - 0.5) * 10 ** (random.int(40) - 20)).replace('e+', 'e');
    const whole = random.chance(0.3) ? '0' : digits(1 + random.int(random.chance(0.8) ? 7 : 20));
    const zeros = random.chance(0.8) ? '' : '0'.repeat(random.int(12));
    const fraction = random.chance(0.3)
      ? ''
      : `.${zeros}${digits(1 + random.int(random.chance(0.7) ? 8 : 20))}`;
    return `${random.chance(0.2) ? '-' : ''}${whole}${fraction}`;
  };
  const rows = 50_000;
  const memory = new ColumnMemory();
  memory.open([{ name: 'x', kind: 'number' }], rows, 'none');
  const parser = new ColumnParser(memory, SOURCE, 2);
  for (let round = 0; round < rounds(20); round++) {
    const texts = Array.from({ length: rows }, decimal);
    const length = memory.piece.write(`${texts.join('\n')}\n`, 'latin1');
    assert.equal(parser.parse(0, length), length);
    const [column] = memory.view().columns;
    assert.ok(column?.kind === 'number');
    const wrong = texts.findIndex((text, i) => !Object.is(column.values[i], Number(text)));
    assert.equal(wrong, -1, texts[wrong]);
    memory.clear();
  }
});
