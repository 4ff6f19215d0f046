import type { BookTextRecord } from '../../market/message-record.js';
import { type LevelForm, LevelKernel } from './level-kernel.js';
import { CELL, COUNT, MS, MS_OR_US } from './trade-text.js';

/** The usual form of an exchange's book messages. */
export interface BookTextForm {
  /**
   * JSON with placeholders: `<bids>`, `<asks>` and those of `PLACEHOLDERS`. Only fixed text is between the
   * two lists of levels, and only the time may be captured after them. Parentheses, `|`, `?` and `*` have the
   * meaning that they have in a regular expression.
   */
  readonly message: string;
  readonly levels: LevelForm;
}

/** A message in the usual form. */
export interface BookText {
  readonly record: BookTextRecord;
  /** If the form numbers updates. */
  readonly update: NumberedUpdate | undefined;
}

export interface NumberedUpdate {
  /** Text that names the connection's book. */
  readonly source: string;
  readonly number: number;
}

/** Reads a message from its text; undefined for any other form or message. */
export type ReadBookText = (text: string, localTimestamp: number) => BookText | undefined;

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
export function createBookTextReader({ message, levels }: BookTextForm): ReadBookText {
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
