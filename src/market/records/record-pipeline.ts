import {
  copyFixed,
  createFixedText,
  type FixedText,
  IsoTime,
  MAX_TIME_BYTES,
} from '../../format/ndjson/write-json.js';
import { ComputedLines } from '../lines/computed-lines.js';
import type { LineBuffer } from '../lines/line-buffer.js';
import type { PriceLevel } from '../messages.js';
import type { NormalizedType } from '../names/message-type-name.js';
import { InstrumentPipeline } from '../pipeline.js';
import { TRADE_SIDE } from '../trade-bars.js';
import type { BookChangeRecord, BookTextRecord, EmittedRecord, TextLevels } from './message-record.js';
import { RecordLines } from './record-lines.js';

export interface RecordFlowOptions {
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
