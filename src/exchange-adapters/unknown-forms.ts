import { TickhaulError } from '../base/errors.js';
import type { MessageRecord } from '../market/message-record.js';
import { isMessageFields, toFields } from './message-fields.js';
import { type Normalizer, UnknownFormError } from './normalizer.js';

/** A message that has no values where they must be. */
class MissingValueError extends Error {}

/** Channels with a warning; messages of any others are counted together. */
const MAX_CHANNELS = 10;
const OTHER_CHANNELS = 'other channels';

/**
 * Counts the messages of a feed whose form no normalizer knows. They are left out, with a warning for the
 * first of each channel and a count at the end (docs/how-to/normalizers.md#messages-of-an-unknown-form).
 */
export class UnknownForms {
  readonly #exchange: string;
  readonly #warn: (message: string) => void;
  readonly #counts = new Map<string, number>();

  constructor(exchange: string, warn: (message: string) => void) {
    this.#exchange = exchange;
    this.#warn = warn;
  }

  /** @param name identifies the message, such as its time. @param reason why it cannot be read. */
  add(channel: string, name: string, reason: string): void {
    const isKnown = this.#counts.has(channel) || this.#counts.size < MAX_CHANNELS;
    const key = isKnown ? channel : OTHER_CHANNELS;
    const count = this.#counts.get(key) ?? 0;
    this.#counts.set(key, count + 1);
    if (count > 0) return;
    this.#warn(
      `${this.#exchange}: the message of ${name} in ${key} has an unknown form (${reason}); leaving out all such messages`,
    );
  }

  /** Warns of the number of messages that were left out, of each channel. */
  finish(): void {
    for (const [channel, count] of this.#counts) {
      const what = count === 1 ? '1 message' : `${count} messages`;
      this.#warn(`${this.#exchange}: left out ${what} of an unknown form in ${channel}`);
    }
    this.#counts.clear();
  }
}

/**
 * Whether an error of a normalizer means that the message has another form. Other errors are those that a
 * normalizer throws on purpose, such as for changes that do not continue a book.
 */
export function isFormError(error: unknown): error is Error {
  return error instanceof TypeError || error instanceof RangeError || error instanceof MissingValueError;
}

/** @throws for a record that has no symbol, or no price or amount: its message has another form. */
export function assertValues(record: MessageRecord): void {
  const { symbol } = record;
  if (typeof symbol !== 'string' || symbol === '' || symbol === 'undefined' || symbol === 'null') {
    throw new MissingValueError('it has no symbol');
  }
  if (record.type === 'trade' || record.type === 'liquidation') {
    if (isMissing(record.price) || isMissing(record.amount)) {
      throw new MissingValueError(`its ${record.type} has no price or amount`);
    }
  } else if (record.type === 'book_change') {
    for (const side of [record.bids, record.asks]) {
      for (const { price, amount } of side) {
        if (isMissing(price) || isMissing(amount)) {
          throw new MissingValueError('a level has no price or amount');
        }
      }
    }
  }
}

/** Some mappers of the vendor pass values on as the exchange has sent them. */
function isMissing(value: unknown): boolean {
  return value === undefined || value === null || Number.isNaN(value);
}

/**
 * Whether no normalizer knows a message of which none has made a record, although it is data: answers to
 * subscriptions, heartbeats and snapshots of trades are left out on purpose.
 */
export function isUnknownForm(message: unknown, normalizers: readonly Normalizer[]): boolean {
  if (!isMessageFields(message)) return !Array.isArray(message);
  return !normalizers.some((normalizer) => handles(normalizer, message)) && !isControlMessage(message);
}

function handles(normalizer: Normalizer, message: unknown): boolean {
  if (normalizer.handles) return normalizer.handles(message);
  return findChannel(message, normalizer) !== undefined;
}

/**
 * The channel of a message: one of the normalizers' filters that it names, else its own name for it.
 * @param normalizers of the feed, or the one that has failed.
 * @param error of the normalizer, which may name the channel.
 */
export function channelOf(message: unknown, normalizers: readonly Normalizer[], error?: Error): string {
  if (error instanceof UnknownFormError) return `channel ${error.channel}`;
  for (const normalizer of normalizers) {
    const named = findChannel(message, normalizer);
    if (named !== undefined) return `channel ${named}`;
  }
  const own = listTexts(message).find(([key]) => CHANNEL_KEYS.has(key))?.[1];
  return own === undefined ? 'an unnamed channel' : `channel ${own.slice(0, 40)}`;
}

const CHANNEL_KEYS: ReadonlySet<string> = new Set([
  'channel',
  'ch',
  'topic',
  'stream',
  'table',
  'feed',
  'e',
  'method',
  'type',
]);

const channelsOf = new WeakMap<Normalizer, readonly string[]>();

/** The channel of a normalizer's filters that a message names, alone or as a part such as `trade@BTC`. */
function findChannel(message: unknown, normalizer: Normalizer): string | undefined {
  const texts = listTexts(message).map(([, text]) => text);
  const channels = channelsOf.get(normalizer) ?? normalizer.filters(undefined).map(({ channel }) => channel);
  channelsOf.set(normalizer, channels);
  return channels.find((channel) => texts.some((text) => includesWord(text, channel)));
}

const WORD = /[A-Za-z0-9_]/;

function includesWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (!WORD.test(text.charAt(at - 1)) && !WORD.test(text.charAt(at + word.length))) return true;
  }
  return false;
}

/** Parts of messages that may name the channel. */
const NESTED = ['arg', 'params', 'result', 'data'];

/** Texts of a message and of the objects in it that may name the channel, by key. */
function listTexts(message: unknown): readonly (readonly [key: string, text: string])[] {
  const fields = toFields(message);
  return [fields, ...NESTED.map((key) => toFields(fields[key]))].flatMap((part) =>
    Object.entries(part).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

const CONTROL_KEYS = ['success', 'subbed', 'ping', 'pong', 'ret_msg', 'err-code', 'error'];
const KIND_KEYS = ['event', 'type', 'method', 'op', 'cmd', 'action', 'channel'];
const CONTROL_KIND =
  /sub|heartbeat|^hb$|ping|pong|welcome|info|ack|cancel|status|system|connect|^init|snapshot|partial|delete|update$/i;

/** Whether a message is an answer, a heartbeat, or an update that is left out on purpose. */
function isControlMessage(message: Readonly<Record<string, unknown>>): boolean {
  if (CONTROL_KEYS.some((key) => message[key] !== undefined && message[key] !== null)) return true;
  const isAnswer = 'id' in message && ['result', 'status', 'code'].some((key) => key in message);
  return isAnswer || KIND_KEYS.some((key) => CONTROL_KIND.test(textOf(message[key])));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Creates the error for a message that a normalizer refuses. @param name identifies the message. */
export function createCorruptError(
  exchange: string,
  name: string,
  cause: unknown,
  isLive: boolean,
): TickhaulError {
  if (cause instanceof TickhaulError) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  const advice = isLive ? '' : '; use --channel for the original messages';
  return new TickhaulError(
    'corrupt',
    `${exchange}: the message of ${name} cannot be normalized (${reason})${advice}`,
    { cause },
  );
}
