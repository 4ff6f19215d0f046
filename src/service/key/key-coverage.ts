import { TickhaulError } from '../../base/errors.js';
import { isFirstOfMonth } from '../../dataset/day.js';
import type { DayFile } from '../../dataset/day-file.js';
import { GROUPED_SYMBOLS, toDatasetSymbol } from '../../dataset/symbols.js';
import type { Client } from '../http/client.js';
import type { KeyAccess } from './key-access.js';
import { fetchKeyInfo } from './key-info.js';
import { shownKey } from './shown-key.js';

const MS_A_DAY = 86_400_000;
/** A download must not wait long for what it can do without. */
const PATIENCE_MS = 10_000;

/** Whether a day file may be asked for. */
export type MayRead = (file: DayFile) => boolean;

/** What the configured key is good for. */
export interface KeyReach {
  readonly mayRead: MayRead;
  /** Whether there is a key, and it has expired: it covers nothing. */
  readonly keyExpired: boolean;
}

/**
 * Which day files the service will serve: first days of months to all, others to whose key covers them. Where the
 * service doesn't tell what the key covers (it may not have the call, or be in trouble), that counts as all: the
 * files themselves will show.
 * @param warn told of a key that has expired.
 * @throws the reason of an abort.
 */
export async function fetchKeyReach(
  client: Client,
  signal: AbortSignal,
  warn: (message: string) => void,
): Promise<KeyReach> {
  const { apiKey } = client.config;
  const info = apiKey === undefined ? [] : await fetchInfo(client, signal);
  const covered = info ? keyCoverage(info) : () => true;
  const keyExpired = apiKey !== undefined && info?.length === 0;
  if (keyExpired) {
    warn(`the API key ${shownKey(apiKey)} has expired, and covers nothing: renew it, or set another`);
  }
  return { mayRead: (file) => covered(file) || isFirstOfMonth(file.day), keyExpired };
}

/**
 * What a key covers by its key info. Where that is not plain, a day file counts as covered, and the service has
 * the last word: a range that is no time, a grouped symbol of which the key may have some.
 */
export function keyCoverage(info: readonly KeyAccess[]): MayRead {
  // By exchange: a key may have dozens of them, and a plan a million files.
  const spans = new Map<string, readonly Span[]>();
  for (const access of info) {
    spans.set(access.exchange, [...(spans.get(access.exchange) ?? []), spanOf(access)]);
  }
  return ({ exchange, symbol, day }) => {
    const start = day * MS_A_DAY;
    for (const { fromMs, toMs, symbols } of spans.get(exchange) ?? []) {
      const isWithin = start + MS_A_DAY > fromMs && start < toMs;
      const hasSymbol = !symbols || symbols.has(toDatasetSymbol(symbol)) || GROUPED_SYMBOLS.has(symbol);
      if (isWithin && hasSymbol) return true;
    }
    return false;
  };
}

/** Undefined where the service doesn't tell. */
async function fetchInfo(client: Client, signal: AbortSignal): Promise<readonly KeyAccess[] | undefined> {
  const patience = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
  try {
    return await fetchKeyInfo(client, { tries: 1, signal: patience });
  } catch (error) {
    if (signal.aborted || !(error instanceof TickhaulError)) throw error;
    return undefined;
  }
}

interface Span {
  readonly fromMs: number;
  /** Not included. */
  readonly toMs: number;
  /** Undefined for all. */
  readonly symbols: ReadonlySet<string> | undefined;
}

function spanOf({ from, to, symbols }: KeyAccess): Span {
  const all = !symbols || symbols.length === 0;
  return {
    fromMs: timeOr(from, Number.NEGATIVE_INFINITY),
    toMs: timeOr(to, Number.POSITIVE_INFINITY),
    symbols: all ? undefined : new Set(symbols.map(toDatasetSymbol)),
  };
}

function timeOr(iso: string | null | undefined, otherwise: number): number {
  const ms = Date.parse(iso ?? '');
  return Number.isNaN(ms) ? otherwise : ms;
}
