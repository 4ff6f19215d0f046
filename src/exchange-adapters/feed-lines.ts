import { TickhaulError } from '../base/errors.js';
import type { LineBuffer } from '../market/lines/line-buffer.js';
import { RecordPipeline } from '../market/lines/record-lines.js';
import type { EmittedRecord, MessageRecord } from '../market/message-record.js';
import type { NormalizedType } from '../market/message-type-name.js';
import type { FeedPlan, FeedSegment } from './feed-plan.js';
import type { Normalizer } from './normalizer.js';
import {
  assertValues,
  channelOf,
  createCorruptError,
  isFormError,
  isUnknownForm,
  UnknownForms,
} from './unknown-forms.js';

interface FeedLinesOptions {
  readonly exchange: string;
  readonly types: readonly NormalizedType[];
  /** In any case; if omitted or empty, all symbols. */
  readonly symbols?: readonly string[] | undefined;
  readonly withDisconnects: boolean;
  /** Whether the messages come from a live connection, whose disconnects name the requested symbols. */
  readonly isLive?: boolean;
  /** Result of `planFeed` for the same exchange, types and symbols. */
  readonly plan: FeedPlan;
  /**
   * Called with a sentence for the first message of an unknown form in each channel, and at the end with their
   * number. Without it, a message that a normalizer cannot read is an error.
   */
  readonly warn?: ((message: string) => void) | undefined;
}

/**
 * Converts one exchange's messages and disconnects, in their recorded order, to lines of normalized messages,
 * and adds these to a buffer.
 */
export class FeedLines {
  readonly #options: FeedLinesOptions;
  readonly #pipeline: RecordPipeline;
  readonly #parse: (text: string) => unknown;
  readonly #parseTime = createLocalTimeParser();
  readonly #emit: (record: EmittedRecord) => void;
  readonly #unknownForms: UnknownForms | undefined;
  /** Records of one normalizer for one message, which are output together or not at all. */
  readonly #records: MessageRecord[] = [];
  readonly #collect = (record: MessageRecord): void => {
    assertValues(record);
    this.#records.push(record);
  };
  #segments: readonly FeedSegment[];
  #normalizers: readonly Normalizer[] | undefined;
  #acceptsSymbol: ((symbol: string) => boolean) | undefined;
  /** Local time of the last message in microseconds; undefined before the first. */
  #lastTimeUs: number | undefined;
  #isConnected = false;
  #out: LineBuffer | undefined;

  constructor(options: FeedLinesOptions) {
    const { exchange, types, plan, isLive, symbols, warn } = options;
    this.#options = options;
    this.#pipeline = new RecordPipeline(exchange, types, {
      bookTickerKeys: bookTickerKeyOrder(exchange),
      disconnectSymbols: isLive === true ? symbols : undefined,
    });
    this.#parse = createMessageParser(exchange);
    this.#segments = plan.segments;
    this.#unknownForms = warn && new UnknownForms(exchange, warn);
    this.#emit = (record) => {
      if (this.#out && (this.#acceptsSymbol?.(record.symbol) ?? true)) this.#pipeline.push(record, this.#out);
    };
  }

  /**
   * Normalizes one message of a feed.
   * @param localTimestamp as in the feed, with seven decimals.
   * @param message the exchange's own JSON.
   * @throws TickhaulError `corrupt` for invalid JSON, or a message that the exchange cannot have sent.
   */
  addMessage(localTimestamp: string, message: string, out: LineBuffer): void {
    const time = this.#parseTime(localTimestamp);
    if (this.#readText(message, time, out)) return;
    this.addParsedMessage(this.#parse(message), time, out, localTimestamp);
  }

  /** Normalizes a message without parsing it, if its form allows that. */
  #readText(message: string, time: number, out: LineBuffer): boolean {
    this.#out = out;
    for (const { readText } of this.#normalizersAt(time)) {
      if (!readText?.(message, time, this.#emit)) continue;
      this.#startMessage(time, out);
      return true;
    }
    return false;
  }

  /**
   * Normalizes a parsed message.
   * @param time local time in microseconds.
   * @param name names the message in errors; defaults to its time.
   * @throws TickhaulError `corrupt` for a message that the exchange cannot have sent, such as a change that
   * does not continue a book.
   */
  addParsedMessage(parsed: unknown, time: number, out: LineBuffer, name?: string): void {
    this.#startMessage(time, out);
    const normalizers = this.#normalizersAt(time);
    let isRead = false;
    for (const normalizer of normalizers) {
      this.#records.length = 0;
      try {
        normalizer.read(parsed, time, this.#collect);
      } catch (cause) {
        const place = name ?? new Date(time / 1000).toISOString();
        if (this.#unknownForms === undefined || !isFormError(cause)) {
          const { exchange, isLive } = this.#options;
          throw createCorruptError(exchange, place, cause, isLive === true);
        }
        isRead = true;
        this.#unknownForms.add(channelOf(parsed, [normalizer], cause), place, cause.message);
        continue;
      }
      isRead ||= this.#records.length > 0;
      for (const record of this.#records) this.#emit(record);
    }
    if (isRead || this.#unknownForms === undefined || !isUnknownForm(parsed, normalizers)) return;
    const place = name ?? new Date(time / 1000).toISOString();
    this.#unknownForms.add(channelOf(parsed, normalizers), place, 'no normalizer knows it');
  }

  /** Warns of the number of messages that were left out. */
  finish(): void {
    this.#unknownForms?.finish();
  }

  #startMessage(time: number, out: LineBuffer): void {
    this.#out = out;
    this.#lastTimeUs = time;
    this.#isConnected = true;
  }

  /**
   * Handles a disconnect: consecutive ones count once, and none counts before the first message. Computed
   * data restarts if the disconnect is output, and always in a live stream
   * (docs/spec/normalized-messages.md#disconnect).
   */
  addDisconnect(out: LineBuffer): void {
    this.#normalizers = undefined;
    const last = this.#lastTimeUs;
    if (!this.#isConnected || last === undefined) return;
    this.#isConnected = false;
    if (this.#options.withDisconnects) this.#pipeline.disconnect(last, out);
    else if (this.#options.isLive === true) this.#pipeline.restart();
  }

  #normalizersAt(time: number): readonly Normalizer[] {
    this.#enterSegment(time);
    const [segment] = this.#segments;
    if (this.#normalizers === undefined) {
      this.#normalizers = segment?.normalizers() ?? [];
      this.#acceptsSymbol = segment && createSymbolTest(this.#options.symbols, segment);
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

/** Accepts symbols as requested, in upper case, and as in the filters. */
function createSymbolTest(
  symbols: readonly string[] | undefined,
  { filters }: FeedSegment,
): ((symbol: string) => boolean) | undefined {
  if (symbols === undefined || symbols.length === 0) return undefined;
  const requested = symbols.flatMap((symbol) => [symbol, symbol.toUpperCase()]);
  const accepted = new Set([...requested, ...filters.flatMap((filter) => filter.symbols ?? [])]);
  return (symbol) => accepted.has(symbol);
}

const BIDS_FIRST = ['bidPrice', 'bidAmount', 'askPrice', 'askAmount'];
const PRICES_FIRST = ['askPrice', 'askAmount', 'bidPrice', 'bidAmount'];
const AMOUNTS_FIRST = ['askAmount', 'askPrice', 'bidAmount', 'bidPrice'];

/** Exchanges with another order of keys in book tickers (docs/spec/normalized-messages.md#book_ticker). */
const KEY_ORDERS: Readonly<Record<string, readonly string[]>> = {
  'binance-european-options': BIDS_FIRST,
  bitget: PRICES_FIRST,
  'bitget-futures': PRICES_FIRST,
  bullish: BIDS_FIRST,
  gemini: AMOUNTS_FIRST,
  hyperliquid: BIDS_FIRST,
  mexc: AMOUNTS_FIRST,
  polymarket: BIDS_FIRST,
};

/** Order of a book ticker's four keys; undefined for the usual order. */
function bookTickerKeyOrder(exchange: string): readonly string[] | undefined {
  return KEY_ORDERS[exchange];
}

/**
 * Integers above 2^53, which JSON.parse would round: they are quoted before, as in the vendor's clients
 * (docs/spec/raw-feeds-api.md#large-ids).
 */
const LARGE_INTEGERS: readonly {
  readonly exchange: RegExp;
  /** Text in all messages of this kind. */
  readonly within: string;
  readonly key: RegExp;
}[] = [
  { exchange: /^huobi-/, within: '.trade.detail', key: /"(id)":(\d+)(?=[\s,}\]])/g },
  { exchange: /^upbit$/, within: 'sequential_id', key: /"(sequential_id)":(\d+)(?=[\s,}\]])/g },
];

/** Creates a parser for messages of an exchange. It throws TickhaulError `corrupt` for invalid JSON. */
export function createMessageParser(exchange: string): (text: string) => unknown {
  const rule = LARGE_INTEGERS.find((row) => row.exchange.test(exchange));
  return (text) => {
    const safe = rule && text.includes(rule.within) ? text.replaceAll(rule.key, '"$1":"$2"') : text;
    try {
      return JSON.parse(safe);
    } catch (cause) {
      throw new TickhaulError(
        'corrupt',
        `${exchange}: feed message is not valid JSON: ${text.slice(0, 80)}`,
        {
          cause,
        },
      );
    }
  };
}

/** Length of `2019-06-01T00:03:03.` */
const SECOND_LENGTH = 20;
/** End of the first six of seven decimals. */
const MICROS_END = 26;

/** Creates a parser of local timestamps of feed lines; it returns microseconds and drops the 100 ns. */
export function createLocalTimeParser(): (text: string) => number {
  let second = '';
  let start = 0;
  return (text) => {
    if (!text.startsWith(second) || second === '') {
      second = text.slice(0, SECOND_LENGTH);
      start = Date.parse(`${second}000Z`) * 1000;
    }
    return start + Number(text.slice(SECOND_LENGTH, MICROS_END));
  };
}
