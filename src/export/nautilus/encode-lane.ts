import { encodeFixedWidth } from '../../format/parquet/encode-numbers.js';
import {
  type EncodableValues,
  encodeDictionaryIndices,
  encodeTexts,
  maxDeltaBytes,
} from '../../format/parquet/encode-texts.js';
import { Encoding } from '../../format/parquet/parquet-schema.js';
import type { EncodedValues, ValueBounds } from '../../format/parquet/parquet-writer.js';
import type { CatalogColumn, FixedPrecision } from './catalog-columns.js';
import { laneWidth } from './catalog-columns.js';
import type { KernelMemory } from './kernel-memory.js';

/** Encodes the values of a column at an address. Each is valid until the next one is encoded. */
export function encodeLane(
  memory: KernelMemory,
  column: CatalogColumn,
  precision: FixedPrecision,
  lane: number,
  rows: number,
): EncodedValues {
  const values = encodeValues(memory, column, precision, lane, rows);
  return {
    ...values,
    statistics: { nullCount: 0, bounds: values.bounds },
    page(start, end) {
      const from = memory.scratch.body.at(values.room(start, end));
      const to = values.write(from, start, end) >>> 0;
      return memory.bytes.subarray(from, to);
    },
  };
}

function encodeValues(
  memory: KernelMemory,
  column: CatalogColumn,
  precision: FixedPrecision,
  lane: number,
  rows: number,
): EncodableValues {
  switch (column.lane) {
    case 'fixed':
      return encodeFixed(memory, lane, rows, laneWidth(column, precision));
    case 'byte':
      return encodeBytes(memory, lane, rows, column.type === 'uint64' ? 8 : 4);
    case 'time':
      return encodeTimes(memory, lane, rows);
    case 'id':
      return encodeIds(memory, lane, rows);
  }
}

/** Readers do not agree on the order of byte arrays of fixed length, so there are no bounds. */
function encodeFixed(memory: KernelMemory, lane: number, count: number, width: number): EncodableValues {
  const { kernel, scratch } = memory;
  const find = width === 16 ? kernel.findDistinctWide : kernel.findDistinctDoubles;
  return encodeFixedWidth(memory, scratch, { lane, count, width, find });
}

/** Integers below 256, stored in `width` bytes. */
function encodeBytes(memory: KernelMemory, lane: number, rows: number, width: number): EncodableValues {
  const { kernel, scratch } = memory;
  const distinct = scratch.distinct.at(256 * width);
  const indices = scratch.indices.at(4 * rows);
  const size = kernel.findDistinctBytes(lane, rows, width, distinct, indices);
  const bytes = memory.bytes.subarray(distinct, distinct + width * size);
  return {
    dictionary: { bytes, size },
    valueSize: width,
    bounds: byteBounds(bytes, width),
    ...encodeDictionaryIndices(kernel, indices, size),
  };
}

function byteBounds(distinct: Buffer, width: number): ValueBounds {
  const values = Array.from({ length: distinct.length / width }, (_, i) => distinct[i * width] as number);
  const bound = (value: number): Uint8Array => {
    const bytes = new Uint8Array(width);
    bytes[0] = value;
    return bytes;
  };
  return { min: bound(Math.min(...values)), max: bound(Math.max(...values)) };
}

function encodeTimes(memory: KernelMemory, lane: number, rows: number): EncodableValues {
  const { kernel } = memory;
  kernel.findLongRange(lane, rows);
  const bound = ({ value }: { readonly value: bigint }): Uint8Array =>
    new Uint8Array(BigInt64Array.of(value).buffer);
  return {
    encoding: Encoding.deltaBinaryPacked,
    dictionary: undefined,
    valueSize: 8,
    bounds: { min: bound(kernel.minLong), max: bound(kernel.maxLong) },
    room: (start, end) => maxDeltaBytes(end - start),
    write: (out, start, end) => kernel.writeDeltaLongs(out, lane, start, end, rows),
  };
}

function encodeIds(memory: KernelMemory, lane: number, rows: number): EncodableValues {
  const width = laneWidth({ lane: 'id' }, 128);
  const bytes = memory.buffer('ids', rows * (width - 1));
  const offsets = memory.buffer('id offsets', 4 * (rows + 1));
  memory.kernel.readIdSlots(lane, rows, bytes, offsets);
  return encodeTexts(memory, memory.scratch, { bytes, offsets, count: rows });
}
