import { createOwnMemory, instantiateSync, WASM_PAGE_BYTES, type WasmVariable } from '../../base/wasm.js';
import { writeNumber } from '../../format/ndjson/write-json.js';
import { LEVEL_KEYS } from '../../market/lines/line-parts.js';
import type { BookTextRecord, TextLevels } from '../../market/message-record.js';
import type { Normalizer } from '../normalizer.js';
import { CELL, COUNT, MS, MS_OR_US } from './trade-text.js';

/** The usual form of an exchange's book messages. */
interface BookTextForm {
  /**
   * JSON with placeholders: `<bids>`, `<asks>` and those of `PLACEHOLDERS`. Only fixed text is between the
   * two lists of levels, and only the time may be captured after them. Parentheses, `|`, `?` and `*` have the
   * meaning that they have in a regular expression.
   */
  readonly message: string;
  readonly levels: LevelForm;
}

/** A message in the usual form. */
interface BookText {
  readonly record: BookTextRecord;
  /** If the form numbers updates. */
  readonly update: NumberedUpdate | undefined;
}

interface NumberedUpdate {
  /** Text that names the connection's book. */
  readonly source: string;
  readonly number: number;
}

/** Reads a message from its text; undefined for any other form or message. */
type ReadBookText = (text: string, localTimestamp: number) => BookText | undefined;

const PLACEHOLDERS: Readonly<Record<string, string>> = {
  cell: `${CELL}*`,
  count: COUNT,
  integer: '(?:0|-?[1-9]\\d{0,14})',
  positive: '[1-9]\\d{0,14}',
  /** With `update`, which is its number. */
  source: `(?<source>${CELL}+)`,
  symbol: `(?<symbol>${CELL}+)`,
  /** A symbol without letters that the normalizer would change to upper case. */
  upperSymbol: '(?<symbol>[A-Z\\d._-]+)',
  kind: '(?<kind>[a-z]+)',
  update: `(?<update>${COUNT})`,
  ms: `(?<time>${MS})`,
  time: `(?<time>${MS_OR_US})`,
};

/** The captured placeholders. */
interface Fields {
  readonly source?: string;
  readonly symbol?: string;
  readonly kind?: string;
  readonly update?: string;
  readonly time?: string;
}

const MS_DIGITS = 13;

/** Created once a thread; it has no state between messages. */
let levelKernel: LevelKernel | undefined;

/**
 * Creates a reader of messages in a form. It takes a third of the time of parsing and normalizing JSON, which
 * handles all other forms. Messages without levels are left to it, too.
 */
function createBookTextReader({ message, levels }: BookTextForm): ReadBookText {
  const [head = '', firstSide, middle = '', , tail = ''] = message.split(/<(bids|asks)>/);
  const isBidsFirst = firstSide === 'bids';
  const headPattern = toPattern(head, '');
  const tailPattern = toPattern(tail, '$');
  const symbols = new Map<string, string>();
  return (text, localTimestamp) => {
    headPattern.lastIndex = 0;
    const start: Fields | undefined = headPattern.exec(text)?.groups;
    if (start === undefined) return undefined;
    levelKernel ??= new LevelKernel();
    const { first, second } = levelKernel;
    const position = levelKernel.read(text, headPattern.lastIndex, levels, middle);
    if (position < 0 || first.count + second.count === 0) return undefined;
    tailPattern.lastIndex = position;
    const end = tailPattern.exec(text);
    if (!end) return undefined;
    const { source, symbol = '', kind, update } = start;
    const { time = '' }: Fields = end.groups ?? start;
    const isMs = time.length === MS_DIGITS;
    return {
      record: {
        type: 'book_change',
        symbol: intern(symbol, symbols),
        isSnapshot: kind === 'snapshot',
        bids: isBidsFirst ? first : second,
        asks: isBidsFirst ? second : first,
        timestamp: isMs ? Number(time) * 1000 : Number(time),
        micros: !isMs,
        localTimestamp,
      },
      update: source === undefined ? undefined : { source, number: Number(update) },
    };
  };
}

function toPattern(part: string, end: string): RegExp {
  const escaped = part.replace(/[{}[\].]/g, '\\$&');
  const source = escaped.replace(/<(\w+)>/g, (_, name: string) => PLACEHOLDERS[name] ?? '(?!)');
  return new RegExp(source + end, 'y');
}

/** A copy of a symbol, since a part of a text keeps the memory of the whole text. */
export function intern(symbol: string, symbols: Map<string, string>): string {
  const known = symbols.get(symbol);
  if (known !== undefined) return known;
  const copy = Buffer.from(symbol).toString();
  symbols.set(copy, copy);
  return copy;
}

/** How an exchange writes the levels of a book. */
interface LevelForm {
  /** Whether prices and amounts are strings. */
  readonly isQuoted: boolean;
  /** Whether a level begins with an action: `"new"`, `"change"` or `"delete"`. */
  readonly hasAction: boolean;
}

/** Exports of assembly/level-kernel.ts, where they are documented. */
interface LevelModule {
  readLevels(
    from: number,
    out: number,
    prices: number,
    amounts: number,
    isQuoted: boolean,
    hasAction: boolean,
  ): number;
  readonly levels: WasmVariable;
  readonly written: WasmVariable;
}

/** Longer texts are parsed as JSON. */
const MAX_TEXT_BYTES = WASM_PAGE_BYTES;
/** The shortest level is `["1","1"],`, which becomes `{"price":1,"amount":1},`. */
const MIN_LEVEL_BYTES = 8;
const MAX_GROWTH = 3;
/** Bytes after a region that 16-byte loads and stores may touch. */
const SLACK_BYTES = 64;

/** Addresses in the kernel's memory; the kernel has the same three for the keys and a value. */
const PRICE_ADDRESS = 0;
const AMOUNT_ADDRESS = 16;
const VALUE_ADDRESS = 32;
const TEXT_ADDRESS = WASM_PAGE_BYTES;
const SIDES_ADDRESS = TEXT_ADDRESS + MAX_TEXT_BYTES + SLACK_BYTES;
const NUMBERS_BYTES = 8 * Math.ceil(MAX_TEXT_BYTES / MIN_LEVEL_BYTES);
const JSON_BYTES = MAX_GROWTH * MAX_TEXT_BYTES + SLACK_BYTES;
const SIDE_BYTES = 2 * NUMBERS_BYTES + JSON_BYTES;

/** The levels of one side; the memory is that of the kernel. */
class Side implements TextLevels {
  readonly prices: Float64Array;
  readonly amounts: Float64Array;
  readonly json: DataView;
  jsonBytes = 0;
  count = 0;

  constructor(
    memory: ArrayBuffer,
    readonly address: number,
  ) {
    this.prices = new Float64Array(memory, address, NUMBERS_BYTES / 8);
    this.amounts = new Float64Array(memory, address + NUMBERS_BYTES, NUMBERS_BYTES / 8);
    this.json = new DataView(memory, address + 2 * NUMBERS_BYTES, JSON_BYTES);
  }
}

/** Reads the levels of one message after the other, without a state between messages. */
export class LevelKernel {
  /** The two lists of the message, in the order in which they are in the text. */
  readonly first: TextLevels;
  readonly second: TextLevels;
  readonly #module: LevelModule;
  readonly #memory: Buffer;
  readonly #sides: readonly [Side, Side];

  constructor() {
    const memory = createOwnMemory(SIDES_ADDRESS + 2 * SIDE_BYTES);
    const view = new DataView(memory.buffer);
    this.#memory = Buffer.from(memory.buffer);
    this.#module = instantiateSync(new URL('./level-kernel.wasm', import.meta.url), memory, {
      writeNumber: (at: number, length: number, to: number): number => {
        const value = Number(this.#memory.toString('latin1', at, at + length));
        view.setFloat64(VALUE_ADDRESS, value, true);
        return writeNumber(value, view, to) - to;
      },
    });
    this.#memory.write(LEVEL_KEYS.price, PRICE_ADDRESS, 'latin1');
    this.#memory.write(LEVEL_KEYS.amount, AMOUNT_ADDRESS, 'latin1');
    const sides = [0, 1].map((side) => new Side(memory.buffer, SIDES_ADDRESS + side * SIDE_BYTES));
    this.#sides = sides as unknown as readonly [Side, Side];
    [this.first, this.second] = this.#sides;
  }

  /**
   * Reads two lists of levels with a text between them.
   * @returns the position after the second list; -1 if the text has another form.
   */
  read(text: string, start: number, { isQuoted, hasAction }: LevelForm, between: string): number {
    const [first, second] = this.#sides;
    // A character takes at least a byte.
    if (text.length - start > MAX_TEXT_BYTES) return -1;
    const length = this.#memory.write(text.slice(start), TEXT_ADDRESS, MAX_TEXT_BYTES, 'utf8');
    this.#memory[TEXT_ADDRESS + length] = 0;
    const middle = this.#readSide(first, TEXT_ADDRESS, isQuoted, hasAction);
    // The text up to the end of a list is ASCII, so positions in it equal addresses.
    if (middle === 0 || !text.startsWith(between, start + middle - TEXT_ADDRESS)) return -1;
    const end = this.#readSide(second, middle + between.length, isQuoted, hasAction);
    return end === 0 ? -1 : start + end - TEXT_ADDRESS;
  }

  #readSide(side: Side, from: number, isQuoted: boolean, hasAction: boolean): number {
    const { address } = side;
    const json = address + 2 * NUMBERS_BYTES;
    const module = this.#module;
    const end = module.readLevels(from, json, address, address + NUMBERS_BYTES, isQuoted, hasAction);
    side.count = module.levels.value;
    side.jsonBytes = module.written.value - json;
    return end;
  }
}

const QUOTED = { isQuoted: true, hasAction: false };

/** Updates of the spot market and of futures, which have more fields. */
const BINANCE: BookTextForm = {
  message:
    '{"stream":"<source>@depth<cell>","data":{"e":"depthUpdate","E":<time>,("T":<count>,)?"s":"<symbol>",' +
    '"U":<count>,"u":<update>,("pu":<count>,)?"b":<bids>,"a":<asks>}}',
  levels: QUOTED,
};
const BINANCE_CHANNELS = { depth: BINANCE };

/** @param times the kind and the time, whose order differs between markets. */
function bybit(depth: number, times: string): Readonly<Record<string, BookTextForm>> {
  const message =
    `{"topic":"orderbook.${depth}.<cell>",${times},"data":{"s":"<symbol>","b":<bids>,"a":<asks>,` +
    '"u":<count>,"seq":<count>}(,"cts":<count>)?}';
  return { [`orderbook.${depth}`]: { message, levels: QUOTED } };
}
const BYBIT_TIMES = '"type":"<kind>","ts":<ms>';

function okx(channel: string): Readonly<Record<string, BookTextForm>> {
  const message =
    `{"arg":{"channel":"${channel}","instId":"<symbol>"},"action":"<kind>","data":[{"asks":<asks>,"bids":<bids>,` +
    '"ts":"<ms>"(,"(checksum|seqId|prevSeqId)":<integer>)*}]}';
  return { [channel]: { message, levels: QUOTED } };
}
const OKX = { ...okx('books-l2-tbt'), ...okx('books') };

/** Changes only: without the number of the previous change, a message is a snapshot. */
const DERIBIT: BookTextForm = {
  message:
    '{"jsonrpc":"2.0","method":"subscription","params":{"channel":"book.<cell>","data":{("type":"change",)?' +
    '"timestamp":<ms>,"prev_change_id":<positive>,"instrument_name":"<upperSymbol>","change_id":<count>,' +
    '"bids":<bids>,"asks":<asks>}}}',
  levels: { isQuoted: false, hasAction: true },
};

/** Usual forms of book messages, by exchange and channel. */
export const BOOK_TEXT_FORMS: Readonly<Record<string, Readonly<Record<string, BookTextForm>>>> = {
  binance: BINANCE_CHANNELS,
  'binance-delivery': BINANCE_CHANNELS,
  'binance-futures': BINANCE_CHANNELS,
  'binance-jersey': BINANCE_CHANNELS,
  'binance-us': BINANCE_CHANNELS,
  bybit: bybit(50, BYBIT_TIMES),
  'bybit-options': bybit(25, BYBIT_TIMES),
  'bybit-spot': bybit(50, '"ts":<ms>,"type":"<kind>"'),
  deribit: { book: DERIBIT },
  okex: OKX,
  'okex-futures': OKX,
  'okex-options': OKX,
  'okex-swap': OKX,
};

/**
 * Lets a normalizer of book changes read messages in the exchange's usual form from text; all others are parsed
 * as before. Where updates are numbered, the normalizer first aligns them with a snapshot, so an update is
 * read from text only if the normalizer emitted an earlier one of the same book.
 */
export function withBookText(exchange: string, normalizer: Normalizer): Normalizer {
  const forms = BOOK_TEXT_FORMS[exchange] ?? {};
  const channel = normalizer.filters(undefined).find(({ channel }) => channel in forms)?.channel;
  const form = channel === undefined ? undefined : forms[channel];
  if (form === undefined) return normalizer;
  const readBookText = createBookTextReader(form);
  /** The first aligned update of each source, and its symbol. */
  const aligned = new Map<string, { readonly symbol: string; readonly number: number }>();
  /** An update in the usual form that the normalizer reads next. */
  let next: NumberedUpdate | undefined;
  return {
    ...normalizer,
    readText(text, localTimestamp, emit) {
      const book = readBookText(text, localTimestamp);
      if (book === undefined) return false;
      const { record, update } = book;
      const first = update && aligned.get(update.source);
      if (update && (first?.symbol !== record.symbol || update.number < first.number)) {
        next = update;
        return false;
      }
      emit(record);
      return true;
    },
    read(message, localTimestamp, emit) {
      const update = next;
      next = undefined;
      normalizer.read(message, localTimestamp, (record) => {
        // A part of a text keeps the memory of the whole text, so the source is copied.
        if (update && record.type === 'book_change' && !record.isSnapshot)
          aligned.set(Buffer.from(update.source).toString(), {
            symbol: record.symbol,
            number: update.number,
          });
        emit(record);
      });
    },
  };
}
