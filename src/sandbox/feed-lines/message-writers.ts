import type { PriceLevel } from '../../market/messages.js';
import type { EventOf, FeedEvent } from '../simulation/market-event.js';

/** A message of an exchange's own feed, with the fields that filters of the raw data API use. */
export interface NativeMessage {
  readonly channel: string;
  /** The symbol as in filters of this channel; undefined in channels without symbols. */
  readonly symbol: string | undefined;
  /** Microseconds. */
  readonly localTimestamp: number;
  readonly message: object;
}

/**
 * The message writers of one connection, by event type. A type without a writer is one that the exchange has no
 * message for.
 */
export type MessageWriters = {
  readonly [Type in FeedEvent['type']]?: (event: EventOf<Type>) => readonly NativeMessage[];
};

/** `["price","amount"]`, the form of a level at most exchanges. */
export function formatLevels(levels: readonly PriceLevel[]): readonly (readonly [string, string])[] {
  return levels.map(({ price, amount }) => [String(price), String(amount)]);
}

/** @param time microseconds. */
export function formatIsoMs(time: number): string {
  return new Date(Math.floor(time / 1000)).toISOString();
}

/** @param time microseconds. */
export function formatIsoUs(time: number): string {
  return `${formatIsoMs(time).slice(0, -1)}${String(time % 1000).padStart(3, '0')}Z`;
}

/** Whole milliseconds of a time in microseconds. */
export function usToMs(time: number): number {
  return Math.floor(time / 1000);
}

/** A number as text; undefined if there is none. */
export function formatOptionalNumber(value: number | undefined): string | undefined {
  return value === undefined ? undefined : String(value);
}
