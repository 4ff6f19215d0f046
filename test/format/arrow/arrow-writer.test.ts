import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tableFromIPC } from '@uwdata/flechette';
import { type ArrowSchema, encodeSchemaMessage } from '../../../src/format/arrow/arrow-message.js';
import { createArrowWriter } from '../../../src/format/arrow/arrow-writer.js';
import { type ArrowArray, RecordBatchBuilder } from '../../../src/format/arrow/record-batch-encoder.js';
import { ByteWriter } from '../../../src/format/byte-writer.js';
import { createMemorySink } from '../../helpers/memory-sink.js';

const NONE = new Uint8Array();

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView<ArrayBuffer>): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** A field of each type, with three values and what a reader returns for them. */
const FIELDS = [
  {
    field: { name: 'size', type: { name: 'int', bits: 64, isSigned: true }, nullable: true },
    array: { length: 3, nullCount: 1, buffers: [Uint8Array.of(5), bytesOf(BigInt64Array.of(-1n, 0n, 3n))] },
    read: [-1n, null, 3n],
  },
  {
    field: { name: 'flags', type: { name: 'int', bits: 8, isSigned: false }, nullable: false },
    array: { length: 3, nullCount: 0, buffers: [NONE, Uint8Array.of(0, 1, 255)] },
    read: [0, 1, 255],
  },
  {
    field: { name: 'price', type: { name: 'double' }, nullable: true },
    array: { length: 3, nullCount: 0, buffers: [NONE, bytesOf(Float64Array.of(1.5, -2, 0))] },
    read: [1.5, -2, 0],
  },
  {
    field: { name: 'is_snapshot', type: { name: 'bool' }, nullable: true },
    array: { length: 3, nullCount: 0, buffers: [NONE, Uint8Array.of(5)] },
    read: [true, false, true],
  },
  {
    field: { name: 'id', type: { name: 'utf8' }, nullable: true },
    array: {
      length: 3,
      nullCount: 0,
      buffers: [NONE, bytesOf(Int32Array.of(0, 2, 2, 3)), Buffer.from('éa')],
    },
    read: ['é', '', 'a'],
  },
  {
    field: { name: 'date', type: { name: 'timestamp', unit: 'ns', timezone: 'UTC' }, nullable: true },
    array: {
      length: 3,
      nullCount: 0,
      buffers: [NONE, bytesOf(BigInt64Array.of(1_000_000n, 0n, 2_000_000n))],
    },
    read: [1, 0, 2],
  },
  {
    field: { name: 'local', type: { name: 'timestamp', unit: 's', timezone: undefined }, nullable: true },
    array: { length: 3, nullCount: 0, buffers: [NONE, bytesOf(BigInt64Array.of(1n, 0n, 2n))] },
    read: [1000, 0, 2000],
  },
  {
    field: { name: 'fixed', type: { name: 'fixedSizeBinary', bytes: 2 }, nullable: true },
    array: { length: 3, nullCount: 0, buffers: [NONE, Uint8Array.of(1, 2, 3, 4, 5, 6)] },
    read: [Uint8Array.of(1, 2), Uint8Array.of(3, 4), Uint8Array.of(5, 6)],
  },
  {
    field: { name: 'type', type: { name: 'null' }, nullable: true },
    array: { length: 3, nullCount: 3, buffers: [] },
    read: [null, null, null],
  },
  {
    field: {
      name: 'bids',
      nullable: true,
      type: {
        name: 'list',
        item: {
          name: 'item',
          nullable: true,
          type: { name: 'struct', fields: [{ name: 'price', type: { name: 'double' }, nullable: true }] },
        },
      },
    },
    array: {
      length: 3,
      nullCount: 0,
      buffers: [NONE, bytesOf(Int32Array.of(0, 2, 2, 3))],
      children: [
        {
          length: 3,
          nullCount: 0,
          buffers: [NONE],
          children: [{ length: 3, nullCount: 0, buffers: [NONE, bytesOf(Float64Array.of(1, 2, 3))] }],
        },
      ],
    },
    read: [[{ price: 1 }, { price: 2 }], [], [{ price: 3 }]],
  },
] as const;

const SCHEMA: ArrowSchema = { fields: FIELDS.map(({ field }) => field), metadata: { own: 'é' } };
const ARRAYS: readonly ArrowArray[] = FIELDS.map(({ array }) => array);

/** Writes a number of equal batches. */
async function arrowOf(container: 'file' | 'stream', batches: number): Promise<Uint8Array> {
  const sink = createMemorySink();
  const writer = createArrowWriter(sink, SCHEMA, container);
  const out = new ByteWriter();
  for (let i = 0; i < batches; i++) {
    const builder = new RecordBatchBuilder(out, undefined);
    for (const array of ARRAYS) builder.add(array);
    await writer.writeBatch(builder.finish(3));
  }
  const written = await writer.finish({ added: '' });
  assert.deepEqual(written, { rows: 3 * batches, bytes: sink.bytes().length });
  return Uint8Array.from(sink.bytes());
}

for (const container of ['file', 'stream'] as const) {
  for (const batches of [0, 1, 3]) {
    test(`reads back all types from a ${container} with ${batches} batches`, async () => {
      const table = tableFromIPC(await arrowOf(container, batches), { useBigInt: true });
      assert.deepEqual([table.numRows, table.names], [3 * batches, SCHEMA.fields.map(({ name }) => name)]);
      for (const { field, read } of FIELDS) {
        const expected = Array.from({ length: batches }, () => read).flat();
        assert.deepEqual(Array.from(table.getChild(field.name)), expected, field.name);
      }
      const metadata = { own: 'é', ...(container === 'file' && { added: '' }) };
      assert.deepEqual(Object.fromEntries(table.schema.metadata ?? []), metadata);
    });
  }
}

test('a schema message stands alone', () => {
  const { schema } = tableFromIPC(encodeSchemaMessage(SCHEMA));
  assert.deepEqual(Object.fromEntries(schema.metadata ?? []), { own: 'é' });
  assert.deepEqual(
    schema.fields.map(({ name, nullable }) => ({ name, nullable })),
    SCHEMA.fields.map(({ name, nullable }) => ({ name, nullable })),
  );
});
