import { TickhaulError } from '../../base/errors.js';
import { GROUPED_SYMBOLS, toDatasetSymbol } from '../../dataset/dataset-symbol.js';
import { isFirstDayOfMonth } from '../../dataset/day.js';
import type { DayFile } from '../../dataset/day-file.js';
import type { ServiceClient } from '../http/service-client.js';
import { formatKeyForLog } from './format-key-for-log.js';
import type { KeyAccess } from './key-access.js';
import { fetchKeyInfo } from './key-info.js';

const MS_PER_DAY = 86_400_000;
/** A download must not wait long for what it can do without. */
const KEY_INFO_TIMEOUT_MS = 10_000;

/** Whether a day file may be asked for. */
export type CanRequest = (file: DayFile) => boolean;

/** What the configured key is good for. */
export interface KeyCoverage {
  readonly canRequest: CanRequest;
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
export async function fetchKeyCoverage(
  client: ServiceClient,
  signal: AbortSignal,
  warn: (message: string) => void,
): Promise<KeyCoverage> {
  const { apiKey } = client.config;
  const info = apiKey === undefined ? [] : await fetchInfo(client, signal);
  const covered = info ? createCoverageTest(info) : () => true;
  const keyExpired = apiKey !== undefined && info?.length === 0;
  if (keyExpired) {
    warn(`the API key ${formatKeyForLog(apiKey)} has expired, and covers nothing: renew it, or set another`);
  }
  return { canRequest: (file) => covered(file) || isFirstDayOfMonth(file.day), keyExpired };
}

/**
 * What a key covers by its key info. Where that is not plain, a day file counts as covered, and the service has
 * the last word: a range that is no time, a grouped symbol of which the key may have some.
 */
export function createCoverageTest(info: readonly KeyAccess[]): CanRequest {
  // By exchange: a key may have dozens of them, and a plan a million files.
  const spans = new Map<string, readonly AccessSpan[]>();
  for (const access of info) {
    spans.set(access.exchange, [...(spans.get(access.exchange) ?? []), toAccessSpan(access)]);
  }
  return ({ exchange, symbol, day }) => {
    const start = day * MS_PER_DAY;
    for (const { fromMs, toMs, symbols } of spans.get(exchange) ?? []) {
      const isWithin = start + MS_PER_DAY > fromMs && start < toMs;
      const hasSymbol = !symbols || symbols.has(toDatasetSymbol(symbol)) || GROUPED_SYMBOLS.has(symbol);
      if (isWithin && hasSymbol) return true;
    }
    return false;
  };
}

/** Undefined where the service doesn't tell. */
async function fetchInfo(
  client: ServiceClient,
  signal: AbortSignal,
): Promise<readonly KeyAccess[] | undefined> {
  const patience = AbortSignal.any([signal, AbortSignal.timeout(KEY_INFO_TIMEOUT_MS)]);
  try {
    return await fetchKeyInfo(client, { tries: 1, signal: patience });
  } catch (error) {
    if (signal.aborted || !(error instanceof TickhaulError)) throw error;
    return undefined;
  }
}

interface AccessSpan {
  readonly fromMs: number;
  /** Not included. */
  readonly toMs: number;
  /** Undefined for all. */
  readonly symbols: ReadonlySet<string> | undefined;
}

function toAccessSpan({ from, to, symbols }: KeyAccess): AccessSpan {
  const all = !symbols || symbols.length === 0;
  return {
    fromMs: parseTimeOr(from, Number.NEGATIVE_INFINITY),
    toMs: parseTimeOr(to, Number.POSITIVE_INFINITY),
    symbols: all ? undefined : new Set(symbols.map(toDatasetSymbol)),
  };
}

function parseTimeOr(iso: string | null | undefined, otherwise: number): number {
  const ms = Date.parse(iso ?? '');
  return Number.isNaN(ms) ? otherwise : ms;
}
