import { abortReason } from '../../base/errors.js';
import {
  type Cell,
  describeUnread,
  EDGE_ROWS,
  type FileContent,
  StepLimit,
  TIME_COLUMN,
  TimeOrder,
  TooLargeError,
  toIntegerCell,
} from '../file-content.js';
import type { RandomBytes } from '../output-format.js';
import { asStruct, type Bound, type Leaf, parseLogicalType } from './column-summary.js';
import { type ChunkPlace, locateChunk, PageReader } from './page-reader.js';
import {
  type Dictionary,
  openDictionary,
  type RawValue,
  readPageValues,
  type ValueType,
} from './page-values.js';
import { type ParquetFooter, parseFooter, readFooterBytes } from './parquet-footer.js';
import { ConvertedType, LogicalType, PhysicalType, Repetition, TimeUnit } from './parquet-schema.js';
import type { ThriftStruct, ThriftValue } from './thrift.js';

/**
 * Summarizes a Parquet file. Rows, columns, nulls and extremes come from the footer; only the edge rows and
 * the order of rows need data. If data from another writer cannot be read, or takes too much memory or time, `unread`
 * states why.
 * @throws TickhaulError `corrupt`, and errors of `file.read`.
 */
export async function inspectParquet(
  path: string,
  file: RandomBytes,
  signal: AbortSignal,
): Promise<FileContent> {
  const chunks = new ChunkIndex(file.bytes);
  const footer = parseFooter(await readFooterBytes(file, path), path, (group, leaves) =>
    chunks.add(group, leaves),
  );
  return {
    bytes: file.bytes,
    rows: footer.rows,
    rowGroups: footer.rowGroups.length,
    metadata: footer.keyValues,
    columns: footer.columns.map(({ name, type, nulls, min, max }) => ({
      name,
      type,
      nulls,
      min: toBoundCell(min),
      max: toBoundCell(max),
    })),
    ...(await readData(path, { file, footer, chunks }, signal)),
  };
}

/** Zero minimums are -0 in a footer, whatever their sign (Parquet format, ColumnOrder). */
function toBoundCell(bound: Bound | undefined): Cell | undefined {
  if (bound === undefined) return undefined;
  if (typeof bound === 'bigint') return String(bound);
  return bound === 0 ? 0 : bound;
}

type RowSummary = Pick<FileContent, 'first' | 'last' | 'timeRange' | 'largestGap' | 'outOfOrder' | 'unread'>;

interface ParquetSource {
  readonly file: RandomBytes;
  readonly footer: ParquetFooter;
  readonly chunks: ChunkIndex;
}

async function readData(path: string, source: ParquetSource, signal: AbortSignal): Promise<RowSummary> {
  const { footer } = source;
  if (footer.leaves.some(({ isNested }) => isNested))
    return { first: [], last: [], unread: 'its columns are nested' };
  try {
    return await new DataReader(source).read(signal);
  } catch (error) {
    return { first: [], last: [], unread: describeUnread(path, error, footer.createdBy) };
  }
}

/** A row group with the places of its columns, or why one is unknown. */
interface IndexedGroup {
  readonly rows: number;
  readonly places: readonly (ChunkPlace | RangeError)[];
}

const MAX_GROUPS = 100_000;

/** The column chunks that are read, collected while the footer is parsed. */
class ChunkIndex {
  /** The row groups with the first and the last rows. */
  readonly first: IndexedGroup[] = [];
  readonly last: IndexedGroup[] = [];
  /** Of each row group only the column with times. */
  readonly times: IndexedGroup[] = [];
  groups = 0;
  readonly #fileBytes: number;
  #firstRows = 0;
  #lastRows = 0;
  #timeColumn: number | undefined;

  constructor(fileBytes: number) {
    this.#fileBytes = fileBytes;
  }

  add(group: ThriftStruct, leaves: readonly Leaf[]): void {
    const rows = Number(group.get(3));
    const columns = group.get(1) as readonly ThriftValue[];
    this.groups++;
    if (!(rows > 0)) return;
    this.#timeColumn ??= leaves.findIndex(({ name }) => name === TIME_COLUMN);
    const time = columns[this.#timeColumn];
    if (time !== undefined && this.groups <= MAX_GROUPS)
      this.times.push({ rows, places: [this.#locate(time)] });
    const indexed = { rows, places: columns.map((column) => this.#locate(column)) };
    if (this.#firstRows < EDGE_ROWS) this.first.push(indexed);
    this.#firstRows += rows;
    this.last.push(indexed);
    this.#lastRows += rows;
    while (this.#lastRows - (this.last[0]?.rows ?? 0) >= EDGE_ROWS)
      this.#lastRows -= this.last.shift()?.rows ?? 0;
  }

  #locate(column: ThriftValue): ChunkPlace | RangeError {
    try {
      return locateChunk(column, this.#fileBytes);
    } catch (error) {
      if (error instanceof RangeError) return error;
      throw error;
    }
  }
}

/** Reads rows of a file without nested columns. */
class DataReader {
  readonly #source: ParquetSource;
  readonly #steps: StepLimit;

  constructor(source: ParquetSource) {
    this.#source = source;
    this.#steps = new StepLimit(source.file.bytes);
  }

  async read(signal: AbortSignal): Promise<RowSummary> {
    const { rows, rowGroups } = this.#source.footer;
    const { first, last, groups } = this.#source.chunks;
    const groupRows = rowGroups.reduce((sum, count) => sum + count, 0);
    if (groupRows !== rows) throw new RangeError(`its row groups have ${groupRows} rows, not ${rows}`);
    if (groups > MAX_GROUPS) throw new TooLargeError(`it has more than ${MAX_GROUPS} row groups`);
    const lastStart = rows - last.reduce((sum, group) => sum + group.rows, 0);
    const firstEnd = Math.min(EDGE_ROWS, rows);
    return {
      ...(await this.#readOrder(signal)),
      first: await this.#readRows(first, 0, 0, firstEnd),
      last: await this.#readRows(last, lastStart, Math.max(firstEnd, rows - EDGE_ROWS), rows),
    };
  }

  async #readOrder(signal: AbortSignal): Promise<Partial<RowSummary>> {
    const { columns, leaves } = this.#source.footer;
    const column = columns.findIndex(({ name }) => name === TIME_COLUMN);
    const type = columns[column]?.type;
    // With `--times int` the column is a plain integer.
    if (type !== 'timestamp' && type !== 'int64') return {};
    const toCell = createCellConverter((leaves[column] as Leaf).element);
    const order = new TimeOrder();
    for (const group of this.#source.chunks.times) {
      if (signal.aborted) throw abortReason(signal);
      await this.#readColumn(group.places[0], column, 0, group.rows, (value) => {
        if (value !== null) order.add(Number(toCell(value)));
      });
    }
    return order.read();
  }

  /** Reads the rows from `from` up to, but not including, `to`. @param start number of the groups' first row. */
  async #readRows(
    groups: readonly IndexedGroup[],
    start: number,
    from: number,
    to: number,
  ): Promise<readonly (readonly Cell[])[]> {
    const rows: Cell[][] = [];
    let groupStart = start;
    for (const group of groups) {
      const begin = Math.max(0, from - groupStart);
      const end = Math.min(group.rows, to - groupStart);
      groupStart += group.rows;
      if (begin >= end) continue;
      const groupRows: Cell[][] = Array.from({ length: end - begin }, () => []);
      for (const [i, { element }] of this.#source.footer.leaves.entries()) {
        const toCell = createCellConverter(element);
        let row = 0;
        await this.#readColumn(group.places[i], i, begin, end, (value) => {
          groupRows[row++]?.push(value === null ? null : toCell(value));
        });
      }
      rows.push(...groupRows);
    }
    return rows;
  }

  /** Passes the values of some rows of a row group to `use`. */
  async #readColumn(
    place: IndexedGroup['places'][number] | undefined,
    column: number,
    from: number,
    to: number,
    use: (value: RawValue | null) => void,
  ): Promise<void> {
    if (!place || place instanceof RangeError)
      throw place ?? new RangeError('a column is missing in a row group');
    const type = toValueType((this.#source.footer.leaves[column] as Leaf).element);
    const pages = new PageReader(this.#source.file, place, type.isOptional, this.#steps);
    let dictionary: Dictionary | undefined;
    for (let row = 0; row < to; ) {
      const page = await pages.next();
      if (!page) throw new RangeError('a column has fewer rows than its row group');
      const end = row + page.rows;
      if (end > from) {
        dictionary ??= pages.dictionary && openDictionary(pages.dictionary, type);
        const next = readPageValues(await page.read(), type, dictionary, this.#steps);
        const last = Math.min(end, to);
        this.#steps.take(last - row);
        for (; row < from; row++) next();
        for (; row < last; row++) use(next());
      }
      row = end;
    }
  }
}

function toValueType(element: ThriftStruct): ValueType {
  return {
    physical: Number(element.get(1)),
    length: Number(element.get(2)),
    isOptional: element.get(3) === Repetition.optional,
  };
}

type ToCell = (value: RawValue) => Cell;

/** Returns a function that converts the stored values of a SchemaElement (parquet.thrift); times to microseconds. */
function createCellConverter(element: ThriftStruct): ToCell {
  const physical = element.get(1);
  const converted = element.get(6);
  const [logical, details] = parseLogicalType(element);
  const isInteger = physical === PhysicalType.int32 || physical === PhysicalType.int64;
  if (physical === PhysicalType.int96) return (value) => parseInt96(value as Buffer);
  if (logical === LogicalType.decimal || converted === ConvertedType.decimal) {
    const scale = Number(element.get(7) ?? details.get(1) ?? 0);
    return (value) => parseDecimal(value) * 10 ** -scale;
  }
  if (isInteger) {
    const timeUnit = findTimeUnit(converted, logical, details);
    if (timeUnit !== undefined) return (value) => toMicroseconds(value as number | bigint, timeUnit);
    if (logical === LogicalType.date || converted === ConvertedType.date)
      return (value) => toDate(Number(value));
    if (isUnsigned(converted, logical, details))
      return (value) =>
        toIntegerCell(BigInt.asUintN(physical === PhysicalType.int32 ? 32 : 64, BigInt(value as number)));
    return (value) => toIntegerCell(value as number | bigint);
  }
  if (UNSUPPORTED[Number(converted)])
    throw new RangeError(`${UNSUPPORTED[Number(converted)]} values are not supported`);
  if (physical === PhysicalType.byteArray) return String;
  if (physical !== PhysicalType.fixedLengthByteArray) return (value) => value as number | boolean;
  if (logical === LogicalType.uuid) return (value) => toUuid((value as Buffer).toString('hex'));
  if (logical === LogicalType.float16) return (value) => parseFloat16(value as Buffer);
  return (value) => `0x${(value as Buffer).toString('hex')}`;
}

/** Converted types without a form as a cell. */
const UNSUPPORTED: Readonly<Record<number, string>> = { 20: 'bson', 21: 'interval' };

function findTimeUnit(
  converted: ThriftValue | undefined,
  logical: number | undefined,
  details: ThriftStruct,
): number | undefined {
  if (converted === ConvertedType.timestampMillis) return TimeUnit.millis;
  if (converted === ConvertedType.timestampMicros) return TimeUnit.micros;
  return logical === LogicalType.timestamp
    ? ([...asStruct(details.get(2)).keys()][0] ?? TimeUnit.micros)
    : undefined;
}

function toMicroseconds(value: number | bigint, unit: number): Cell {
  if (unit === TimeUnit.millis) return toIntegerCell(BigInt(value) * 1000n);
  return toIntegerCell(unit === TimeUnit.nanos ? BigInt(value) / 1000n : value);
}

/** The converted types from `uint8` to `uint64`. */
function isUnsigned(
  converted: ThriftValue | undefined,
  logical: number | undefined,
  details: ThriftStruct,
): boolean {
  if (logical === LogicalType.integer) return details.get(2) === false;
  return Number(converted) >= ConvertedType.uint8 && Number(converted) <= ConvertedType.uint64;
}

function toDate(days: number): Cell {
  const date = new Date(days * 86_400_000);
  return Number.isNaN(date.getTime()) ? days : date.toISOString().replace(/T.*/, '');
}

const MAX_DECIMAL_BYTES = 32;

function parseDecimal(value: RawValue): number {
  if (!(value instanceof Uint8Array)) return Number(value);
  if (value.length > MAX_DECIMAL_BYTES) throw new RangeError(`a decimal number of ${value.length} bytes`);
  return value.length === 0
    ? 0
    : Number(BigInt.asIntN(8 * value.length, BigInt(`0x${value.toString('hex')}`)));
}

const JULIAN_DAY_OF_EPOCH = 2_440_588;

/** Nanoseconds of the day, then the Julian day. */
function parseInt96(value: Buffer): Cell {
  const days = BigInt(value.readInt32LE(8) - JULIAN_DAY_OF_EPOCH);
  return toIntegerCell(days * 86_400_000_000n + value.readBigInt64LE(0) / 1000n);
}

function parseFloat16(value: Buffer): Cell {
  const bits = value.readUInt16LE(0);
  const sign = bits >= 0x8000 ? -1 : 1;
  const exponent = (bits >>> 10) & 31;
  const fraction = (bits & 1023) / 1024;
  if (exponent === 0) return sign * 2 ** -14 * fraction;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * 2 ** (exponent - 15) * (1 + fraction);
}

function toUuid(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
