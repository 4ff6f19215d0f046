import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ArrowType } from '../../../src/format/arrow/arrow-message.js';
import { createArrowWriter } from '../../../src/format/arrow/arrow-writer.js';
import {
  type ArrowArray,
  createBooleanArray,
  createDoubleArray,
  createListArray,
  createLongArray,
  createStructArray,
  createTextArray,
  RecordBatchBuilder,
} from '../../../src/format/arrow/record-batch-encoder.js';
import { ByteWriter } from '../../../src/format/byte-writer.js';
import { createMemorySink } from '../../helpers/memory-sink.js';
import { readTable } from './read-arrow.js';

async function readBack(type: ArrowType, array: ArrowArray): Promise<unknown[]> {
  const sink = createMemorySink();
  const writer = createArrowWriter(sink, { fields: [{ name: 'x', type, nullable: true }] }, 'file');
  const builder = new RecordBatchBuilder(new ByteWriter(), undefined);
  builder.add(array);
  await writer.writeBatch(builder.finish(array.length));
  await writer.finish();
  const values = Array.from(readTable(sink.bytes()).getChild('x')) as unknown[];
  return values.map((value) => (Array.isArray(value) ? value.map((item) => ({ ...item })) : value));
}

const rows = Array.from({ length: 20 }, (_, row) => row);
const LEVEL = {
  name: 'struct',
  fields: [{ name: 'price', type: { name: 'double' }, nullable: true }],
} as const;

test('arrays have the values that they are built from; undefined is null', async () => {
  for (const isNull of [() => false, (row: number) => row % 3 === 1, () => true]) {
    const some = <T>(value: (row: number) => T): (T | undefined)[] =>
      rows.map((row) => (isNull(row) ? undefined : value(row)));
    const nulls = (values: readonly unknown[]): unknown[] => values.map((value) => value ?? null);
    const doubles = some((row) => row / 4);
    assert.deepEqual(await readBack({ name: 'double' }, createDoubleArray(doubles)), nulls(doubles));
    const longs = some((row) => 2 ** 53 - 1 - row);
    const long = { name: 'int', bits: 64, isSigned: true } as const;
    const bigints = longs.map((value) => (value === undefined ? null : BigInt(value)));
    assert.deepEqual(await readBack(long, createLongArray(longs)), bigints);
    const booleans = some((row) => row % 2 === 0);
    assert.deepEqual(await readBack({ name: 'bool' }, createBooleanArray(booleans)), nulls(booleans));
    const texts = some((row) => 'é'.repeat(row));
    assert.deepEqual(await readBack({ name: 'utf8' }, createTextArray(texts)), nulls(texts));
    const lists = some((row) => rows.slice(0, row % 4).map((price) => ({ price: price % 2 ? price : null })));
    const array = createListArray(lists, (items) =>
      createStructArray(items.length, [createDoubleArray(items.map(({ price }) => price))]),
    );
    const list = { name: 'list', item: { name: 'item', type: LEVEL, nullable: true } } as const;
    assert.deepEqual(await readBack(list, array), nulls(lists));
  }
});
