import {
  copyFixed,
  copyWords,
  createFixedText,
  type FixedText,
  IsoTime,
  type LineTarget,
  MAX_ESCAPE_BYTES,
  MAX_NUMBER_BYTES,
  MAX_TIME_BYTES,
  writeNumber,
} from '../../format/ndjson/write-json.js';
import type {
  BookChangeRecord,
  BookTextRecord,
  EmittedRecord,
  MessageRecord,
  TextLevels,
} from '../message-record.js';
import type { NormalizedType } from '../message-type-name.js';
import type { PriceLevel } from '../messages.js';
import { InstrumentPipeline } from '../pipeline.js';
import { TRADE_SIDE } from '../trade-bars.js';
import { ComputedLines } from './computed-lines.js';
import type { LineBuffer } from './line-buffer.js';
import {
  ASKS,
  CHANGE_BIDS,
  CHANGE_KEYS_BYTES,
  createLineHead,
  LEVELS_END,
  MAX_LEVEL_BYTES,
  MAX_TAIL_BYTES,
  SNAPSHOT_BIDS,
  writeLevel,
  writeString,
  writeTail,
} from './line-parts.js';
import { MESSAGE_LAYOUTS, type MessagePart, type OneRowMessageType } from './message-layouts.js';

interface RecordFlowOptions {
  /** See `RecordLines`. */
  readonly bookTickerKeys?: readonly string[] | undefined;
  /** The requested symbols, if disconnects state them. */
  readonly disconnectSymbols?: readonly string[] | undefined;
}

/**
 * Formats the records of one exchange as lines of the requested types: first the record, if its type is
 * requested, then the messages computed from it, in the order of `types`. Computed types keep their state by
 * symbol.
 */
export class RecordPipeline {
  readonly #exchange: string;
  readonly #lines: RecordLines;
  readonly #sourceTypes: ReadonlySet<string>;
  readonly #computedTypes: readonly NormalizedType[];
  readonly #hasBars: boolean;
  readonly #hasSnapshots: boolean;
  readonly #computed = new ComputedLines();
  readonly #pipelines = new Map<string, InstrumentPipeline>();
  readonly #disconnectHead: FixedText;
  readonly #disconnectEnd: FixedText;
  readonly #disconnectTime = new IsoTime();

  constructor(exchange: string, types: readonly NormalizedType[], options: RecordFlowOptions = {}) {
    const { bookTickerKeys, disconnectSymbols } = options;
    this.#exchange = exchange;
    const disconnect = JSON.stringify({ type: 'disconnect', exchange, localTimestamp: '' });
    this.#disconnectHead = createFixedText(disconnect.slice(0, -2));
    const symbolsKey =
      disconnectSymbols === undefined ? '' : `,"symbols":${JSON.stringify(disconnectSymbols)}`;
    this.#disconnectEnd = createFixedText(`"${symbolsKey}}\n`);
    this.#lines = new RecordLines(exchange, bookTickerKeys);
    this.#sourceTypes = new Set(types.filter(({ kind }) => kind === 'source').map(({ name }) => name));
    this.#computedTypes = types.filter(({ kind }) => kind !== 'source');
    this.#hasBars = types.some(({ kind }) => kind === 'trade_bar');
    this.#hasSnapshots = types.some(({ kind }) => kind === 'book_snapshot');
  }

  push(record: EmittedRecord, out: LineBuffer): void {
    this.#computed.out = out;
    if (this.#sourceTypes.has(record.type)) this.#lines.write(record, out);
    if (record.type === 'trade' && this.#hasBars) {
      const { price, amount, side, timestamp, localTimestamp, micros } = record;
      const pipeline = this.#getPipeline(record.symbol);
      pipeline.trade(price, amount, TRADE_SIDE[side], timestamp, localTimestamp, micros);
    } else if (record.type === 'book_change' && this.#hasSnapshots) this.#applyToBook(record);
  }

  /**
   * Writes a disconnect, and restarts computed types, as the vendor's streams do. If disconnects are not
   * requested, this is not called, and a bar continues across the gap
   * (docs/spec/normalized-messages.md#from-raw-feeds).
   * @param localTimestamp that of the last message before the disconnect, in microseconds.
   */
  disconnect(localTimestamp: number, out: LineBuffer): void {
    this.restart();
    const head = this.#disconnectHead;
    const end = this.#disconnectEnd;
    const { view } = out.room(head.length + MAX_TIME_BYTES + end.length);
    let at = copyFixed(head, view, out.length);
    at = this.#disconnectTime.write(localTimestamp, true, view, at);
    out.add(copyFixed(end, view, at), localTimestamp);
  }

  /** Clears the state of computed types: bars, books, snapshots. */
  restart(): void {
    this.#pipelines.clear();
  }

  #getPipeline(symbol: string): InstrumentPipeline {
    const known = this.#pipelines.get(symbol);
    if (known) return known;
    const pipeline = new InstrumentPipeline(
      { exchange: this.#exchange, symbol },
      this.#computedTypes,
      this.#computed,
    );
    this.#pipelines.set(symbol, pipeline);
    return pipeline;
  }

  #applyToBook({
    symbol,
    isSnapshot,
    bids,
    asks,
    timestamp,
    micros,
    localTimestamp,
  }: BookChangeRecord | BookTextRecord): void {
    const pipeline = this.#getPipeline(symbol);
    pipeline.beginChange(isSnapshot);
    addLevels(pipeline, false, bids);
    addLevels(pipeline, true, asks);
    pipeline.endChange(timestamp, localTimestamp, micros);
  }
}

function addLevels(
  pipeline: InstrumentPipeline,
  isAsk: boolean,
  levels: readonly PriceLevel[] | TextLevels,
): void {
  if ('json' in levels) {
    const { prices, amounts, count } = levels;
    for (let i = 0; i < count; i++) pipeline.level(isAsk, prices[i] as number, amounts[i] as number);
  } else {
    for (const { price, amount } of levels) pipeline.level(isAsk, price, amount);
  }
}

const QUOTE = 34;

/** A key of a record's line, prepared for writing. */
interface Cell {
  readonly field: string;
  readonly kind: MessagePart['kind'];
  /** `,"key":` */
  readonly key: FixedText;
}

type RowRecord = Exclude<MessageRecord, BookChangeRecord>;

/**
 * Formats the records of one exchange as lines. They equal `JSON.stringify` of the messages; keys, their
 * order and the forms of numbers are those of docs/spec/normalized-messages.md#json-form.
 */
export class RecordLines {
  readonly #exchange: string;
  readonly #times = { timestamp: new IsoTime(), localTimestamp: new IsoTime() };
  readonly #fieldTime = new IsoTime();
  readonly #heads: Readonly<Record<MessageRecord['type'], Map<string, FixedText>>> = {
    trade: new Map(),
    book_change: new Map(),
    derivative_ticker: new Map(),
    liquidation: new Map(),
    option_summary: new Map(),
    book_ticker: new Map(),
  };
  readonly #cells: Readonly<Record<OneRowMessageType, readonly Cell[]>>;

  /** @param bookTickerKeys order of a book ticker's own keys, if the exchange has another one. */
  constructor(exchange: string, bookTickerKeys?: readonly string[]) {
    this.#exchange = exchange;
    this.#cells = {
      trade: prepareRecordCells(MESSAGE_LAYOUTS.trade),
      liquidation: prepareRecordCells(MESSAGE_LAYOUTS.liquidation),
      derivative_ticker: prepareRecordCells(MESSAGE_LAYOUTS.derivative_ticker),
      option_summary: prepareRecordCells(MESSAGE_LAYOUTS.option_summary),
      book_ticker: prepareRecordCells(orderParts(MESSAGE_LAYOUTS.book_ticker, bookTickerKeys)),
    };
  }

  write(record: EmittedRecord, out: LineBuffer): void {
    const head = this.#getHead(record.type, record.symbol);
    if (record.type === 'book_change') this.#writeBookChange(record, head, out);
    else this.#writeRow(record, head, out);
  }

  #writeRow(record: RowRecord, head: FixedText, out: LineBuffer): void {
    const cells = this.#cells[record.type];
    const values = record as unknown as Readonly<Record<string, unknown>>;
    const target = out.room(head.length + maxRecordBytes(cells, values) + MAX_TAIL_BYTES);
    let at = copyFixed(head, target.view, out.length);
    for (let i = 0; i < cells.length; i++) {
      const { field, kind, key } = cells[i] as Cell;
      const value = values[field];
      if (value === undefined) continue;
      at = copyFixed(key, target.view, at);
      if (kind === 'number') at = writeNumber(value as number, target.view, at);
      else if (kind === 'text') at = writeString(value as string, target.bytes, at);
      else at = this.#writeTime(value as number, target, at);
    }
    this.#writeTail(record, target, at, out);
  }

  #writeBookChange(record: BookChangeRecord | BookTextRecord, head: FixedText, out: LineBuffer): void {
    const { isSnapshot, bids, asks } = record;
    const levels = maxLevelBytes(bids) + maxLevelBytes(asks);
    const target = out.room(head.length + CHANGE_KEYS_BYTES + levels + MAX_TAIL_BYTES);
    const { view } = target;
    let at = copyFixed(head, view, out.length);
    at = copyFixed(isSnapshot ? SNAPSHOT_BIDS : CHANGE_BIDS, view, at);
    at = writeLevels(bids, view, at);
    at = copyFixed(ASKS, view, at);
    at = writeLevels(asks, view, at);
    this.#writeTail(record, target, copyFixed(LEVELS_END, view, at), out);
  }

  #writeTime(time: number, { view }: LineTarget, position: number): number {
    view.setUint8(position, QUOTE);
    const at = this.#fieldTime.write(time, false, view, position + 1);
    view.setUint8(at, QUOTE);
    return at + 1;
  }

  #writeTail(
    { timestamp, micros, localTimestamp }: EmittedRecord,
    target: LineTarget,
    at: number,
    out: LineBuffer,
  ): void {
    out.add(writeTail(this.#times, timestamp, micros, localTimestamp, target, at), localTimestamp);
  }

  #getHead(type: MessageRecord['type'], symbol: string): FixedText {
    const heads = this.#heads[type];
    const known = heads.get(symbol);
    if (known) return known;
    const head = createLineHead(type, { symbol, exchange: this.#exchange });
    heads.set(symbol, head);
    return head;
  }
}

type Levels = readonly PriceLevel[] | TextLevels;

function maxLevelBytes(levels: Levels): number {
  return 'json' in levels ? levels.jsonBytes : levels.length * MAX_LEVEL_BYTES;
}

function writeLevels(levels: Levels, view: DataView, position: number): number {
  if ('json' in levels) {
    copyWords(levels.json, levels.jsonBytes, view, position);
    return position + levels.jsonBytes;
  }
  let at = position;
  for (let i = 0; i < levels.length; i++) {
    const { price, amount } = levels[i] as PriceLevel;
    at = writeLevel(price, amount, i === 0, view, at);
  }
  return at;
}

function prepareRecordCells(parts: readonly MessagePart[]): readonly Cell[] {
  return parts.map(({ key, kind }) => ({
    field: key,
    kind,
    key: createFixedText(`,${JSON.stringify(key)}:`),
  }));
}

function orderParts(
  parts: readonly MessagePart[],
  keys: readonly string[] | undefined,
): readonly MessagePart[] {
  return keys === undefined ? parts : [...parts].sort((a, b) => keys.indexOf(a.key) - keys.indexOf(b.key));
}

function maxRecordBytes(cells: readonly Cell[], values: Readonly<Record<string, unknown>>): number {
  let size = 0;
  for (const { field, kind, key } of cells) {
    const text = kind === 'text' ? ((values[field] as string | undefined)?.length ?? 0) : 0;
    size += key.length + Math.max(MAX_NUMBER_BYTES, MAX_TIME_BYTES) + text * MAX_ESCAPE_BYTES + 2;
  }
  return size;
}
