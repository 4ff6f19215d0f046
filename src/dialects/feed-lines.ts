import { TickhaulError } from '../base/errors.js';
import type { LineBuffer } from '../market/lines/line-buffer.js';
import type { NormalizedType } from '../market/names/data-type-name.js';
import { RecordPipeline } from '../market/records/record-pipeline.js';
import type { SourceRecord } from '../market/records/source-record.js';
import { bookTickerKeyOrder } from './book-ticker-key-order.js';
import type { FeedPlan, FeedSegment } from './feed-plan.js';
import { createLocalTimeParser } from './local-time-parser.js';
import { createMessageParser } from './message-parser.js';
import type { Normalizer } from './normalizer.js';

export interface FeedLinesOptions {
  readonly exchange: string;
  readonly types: readonly NormalizedType[];
  /** In any case; left out or empty, all. */
  readonly symbols?: readonly string[] | undefined;
  readonly withDisconnects: boolean;
  /** Whether they come from a live connection, whose disconnects name the symbols that were asked for. */
  readonly isLive?: boolean;
  /** What `planFeed` gave for the same exchange, types and symbols. */
  readonly plan: FeedPlan;
  /** Whether a parsed message is read here; left out, each is. Of the others only their times count, as by `pass`. */
  readonly isOurs?: ((message: unknown) => boolean) | undefined;
}

/**
 * The messages of one exchange's feed as lines of normalized messages. Messages and disconnects go in as they were
 * collected; each adds its lines to the buffer.
 */
export class FeedLines {
  readonly #options: FeedLinesOptions;
  readonly #flow: RecordPipeline;
  readonly #parse: (text: string) => unknown;
  readonly #timeOf = createLocalTimeParser();
  readonly #emit: (record: SourceRecord) => void;
  #segments: readonly FeedSegment[];
  #normalizers: readonly Normalizer[] | undefined;
  #isWanted: ((symbol: string) => boolean) | undefined;
  /** Microseconds, of the last message; undefined before the first. */
  #last: number | undefined;
  /** The local timestamp of a message behind that one, which isn't read here. */
  #passed: string | undefined;
  #isConnected = false;
  #out: LineBuffer | undefined;

  constructor(options: FeedLinesOptions) {
    const { exchange, types, plan, isLive, symbols } = options;
    this.#options = options;
    this.#flow = new RecordPipeline(exchange, types, {
      bookTickerKeys: bookTickerKeyOrder(exchange),
      disconnectSymbols: isLive === true ? symbols : undefined,
    });
    this.#parse = createMessageParser(exchange);
    this.#segments = plan.segments;
    this.#emit = (record) => {
      if (this.#out && (this.#isWanted?.(record.symbol) ?? true)) this.#flow.push(record, this.#out);
    };
  }

  /**
   * @param localTimestamp as the feed has it, with seven decimals.
   * @param message the exchange's own JSON.
   * @throws `createCorruptError` where it is no JSON, or nothing that the exchange could have sent.
   */
  message(localTimestamp: string, message: string, out: LineBuffer): void {
    const { isOurs } = this.#options;
    const time = this.#timeOf(localTimestamp);
    if (isOurs === undefined && this.#readText(message, time, out)) return;
    const parsed = this.#parse(message);
    if (isOurs?.(parsed) === false) this.pass(localTimestamp);
    else this.read(parsed, time, out, localTimestamp);
  }

  /** Without parsing it, where it has a form that allows that. */
  #readText(message: string, time: number, out: LineBuffer): boolean {
    for (const { readText } of this.#normalizersAt(time)) {
      if (readText === undefined) continue;
      this.#begin(time, out);
      return readText(message, time, this.#emit);
    }
    return false;
  }

  /** Whether times may end a segment. */
  get hasMoreSegments(): boolean {
    return this.#segments.length > 1;
  }

  /**
   * A message that isn't read here: it ends a segment, and disconnects have its time. Of several in a row the last is
   * enough, where there are no more segments.
   */
  pass(localTimestamp: string): void {
    this.#passed = localTimestamp;
    this.#isConnected = true;
    if (this.hasMoreSegments) this.#enterSegment(this.#timeOf(localTimestamp));
  }

  /**
   * A message that is parsed already.
   * @param time microseconds, at which it was received.
   * @param name what an error calls it by; left out, its time.
   * @throws `createCorruptError` where it is nothing that the exchange could have sent.
   */
  read(parsed: unknown, time: number, out: LineBuffer, name?: string): void {
    this.#begin(time, out);
    for (const normalizer of this.#normalizersAt(time)) {
      try {
        normalizer.read(parsed, time, this.#emit);
      } catch (cause) {
        throw this.#unreadable(name ?? new Date(time / 1000).toISOString(), cause);
      }
    }
  }

  #begin(time: number, out: LineBuffer): void {
    this.#out = out;
    this.#last = time;
    this.#passed = undefined;
    this.#isConnected = true;
  }

  /**
   * The connection broke; several in a row count as one, and none before the first message. What is computed begins anew
   * where the disconnect is told, and in a live stream always (replay facts, sections 2 and 5).
   */
  disconnect(out: LineBuffer): void {
    this.#normalizers = undefined;
    const last = this.#passed === undefined ? this.#last : this.#timeOf(this.#passed);
    if (!this.#isConnected || last === undefined) return;
    this.#isConnected = false;
    if (this.#options.withDisconnects) this.#flow.disconnect(last, out);
    else if (this.#options.isLive === true) this.#flow.restart();
  }

  #unreadable(name: string, cause: unknown): unknown {
    if (cause instanceof TickhaulError) return cause;
    const { exchange, isLive } = this.#options;
    const reason = cause instanceof Error ? cause.message : String(cause);
    const advice = isLive === true ? '' : '; --channel gives it as it is';
    return new TickhaulError(
      'corrupt',
      `${exchange}: the message of ${name} can't be normalized (${reason})${advice}`,
      { cause },
    );
  }

  #normalizersAt(time: number): readonly Normalizer[] {
    this.#enterSegment(time);
    const [segment] = this.#segments;
    if (this.#normalizers === undefined) {
      this.#normalizers = segment?.normalizers() ?? [];
      this.#isWanted = segment && createSymbolTest(this.#options.symbols, segment);
    }
    return this.#normalizers;
  }

  #enterSegment(time: number): void {
    let [segment, next] = this.#segments;
    while (segment && next && time >= segment.end) {
      this.#segments = this.#segments.slice(1);
      this.#normalizers = undefined;
      [segment, next] = this.#segments;
    }
  }
}

/** Symbols as they were asked for, in upper case, or as they are in the filters. */
function createSymbolTest(
  symbols: readonly string[] | undefined,
  { filters }: FeedSegment,
): ((symbol: string) => boolean) | undefined {
  if (symbols === undefined || symbols.length === 0) return undefined;
  const asked = symbols.flatMap((symbol) => [symbol, symbol.toUpperCase()]);
  const wanted = new Set([...asked, ...filters.flatMap((filter) => filter.symbols ?? [])]);
  return (symbol) => wanted.has(symbol);
}
