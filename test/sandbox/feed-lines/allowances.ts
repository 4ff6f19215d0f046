import type { PriceLevel } from '../../../src/market/messages.js';

/** A normalized message, as in its line. */
export type Message = Readonly<Record<string, unknown>> & { readonly localTimestamp: string };

/** Where messages of a feed and of day files may differ. */
export interface Allowance {
  readonly exchange: string;
  /** Names of normalized types. */
  readonly types: RegExp;
  readonly why: string;
  /** Lines of the feed that day files of these types do not contain. */
  readonly leftOut?: RegExp;
  /** Transforms the messages of both before they are compared. */
  readonly change?: (messages: readonly Message[]) => readonly Message[];
}

/** All allowed differences. The first one of an exchange and type applies. */
export const ALLOWANCES: readonly Allowance[] = [
  {
    exchange: 'bitmex',
    types: /^book_change$/,
    why: 'It tells levels that are gone, changed and new apart; a file has them as one.',
    change: joined,
  },
  {
    exchange: 'bitmex',
    types: /^book_snapshot_.*_0ms$/,
    why: 'For the same reason there are states between the parts of a change (section 8: such a snapshot is lost).',
    change: keepLastPerTime,
  },
  {
    exchange: 'bitmex',
    types: /^liquidation$/,
    why: 'Its liquidations have no time, so normalized ones have the local one; those of the made-up file have one.',
    change: (messages) => without(messages, 'timestamp'),
  },
  {
    exchange: 'binance-futures',
    types: /^derivative_ticker$/,
    why: 'A made-up ticker changes all its values at once, which this exchange tells in several messages; section 8 does not have this, since a real file has a row for each.',
    change: keepLastPerTime,
  },
  {
    exchange: 'okex-swap',
    types: /^derivative_ticker$/,
    why: 'The same.',
    change: keepLastPerTime,
  },
  {
    exchange: 'deribit',
    types: /^trade/,
    why: 'A liquidation is a trade there, and the vendor’s normalizer gives it as both; made-up files of trades lack liquidations.',
    leftOut: /"liquidation":"T"/,
  },
  {
    exchange: 'deribit',
    types: /^liquidation$/,
    why: 'So liquidations have the id of a trade, which the made-up file has not.',
    change: (messages) => without(messages, 'id'),
  },
  {
    exchange: 'deribit',
    types: /^book_ticker$/,
    why: 'Best prices come in each message of the channel ticker, changed or not.',
    change: keepPriceChanges,
  },
  {
    exchange: 'deribit',
    types: /^option_summary$/,
    why: 'The vendor’s normalizer takes amounts and prices of 0 for none.',
    change: (messages) => messages.map(withoutZeros),
  },
  {
    exchange: 'coinbase',
    types: /^/,
    why: 'It sends microseconds; a file doesn’t tell whether whole milliseconds are such (section 8: one in 1000 differs by 000).',
    change: (messages) => messages.map(inMicros),
  },
];

function without(messages: readonly Message[], key: string): readonly Message[] {
  return messages.map((message) => {
    const { [key]: _, ...rest } = message;
    return rest as Message;
  });
}

/** Merges changes of the same time, with levels by price. */
function joined(messages: readonly Message[]): readonly Message[] {
  const sides = (parts: readonly Message[], side: string): readonly PriceLevel[] =>
    parts.flatMap((part) => part[side] as readonly PriceLevel[]).sort((a, b) => a.price - b.price);
  return moments(messages).map((parts) => {
    const last = lastOf(parts);
    return { ...last, bids: sides(parts, 'bids'), asks: sides(parts, 'asks') };
  });
}

/** The values at the end of each moment, if they differ from those before. */
function keepLastPerTime(messages: readonly Message[]): readonly Message[] {
  const isSame = (one: Message, other: Message | undefined): boolean => {
    const { timestamp: _, localTimestamp: __, ...rest } = one;
    const { timestamp: ___, localTimestamp: ____, ...others } = other ?? one;
    return other !== undefined && JSON.stringify(rest) === JSON.stringify(others);
  };
  const last = moments(messages).map(lastOf);
  return last.filter((message, i) => !isSame(message, last[i - 1]));
}

/** Messages by local time. */
function moments(messages: readonly Message[]): readonly (readonly Message[])[] {
  const byTime = new Map<string, Message[]>();
  for (const message of messages) {
    const { localTimestamp } = message;
    byTime.set(localTimestamp, [...(byTime.get(localTimestamp) ?? []), message]);
  }
  return [...byTime.values()];
}

function lastOf(messages: readonly Message[]): Message {
  const last = messages.at(-1);
  if (last === undefined) throw new Error('no message');
  return last;
}

function keepPriceChanges(messages: readonly Message[]): readonly Message[] {
  const prices = ({ askPrice, askAmount, bidPrice, bidAmount }: Message): string =>
    JSON.stringify([askPrice, askAmount, bidPrice, bidAmount]);
  return messages.filter((message, i) => {
    const before = messages[i - 1];
    return before === undefined || prices(message) !== prices(before);
  });
}

function withoutZeros(message: Message): Message {
  return Object.fromEntries(
    Object.entries(message).filter(([key, value]) => value !== 0 || !/^(best|last)/.test(key)),
  ) as Message;
}

function inMicros(message: Message): Message {
  return Object.fromEntries(
    Object.entries(message).map(([key, value]) => [
      key,
      /timestamp$/i.test(key) ? String(value).replace(/\.(\d{3})Z$/, '.$1000Z') : value,
    ]),
  ) as Message;
}
