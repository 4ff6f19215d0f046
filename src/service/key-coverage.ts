import { TickhaulError } from '../base/errors.js';
import { withRetries } from '../base/with-retries.js';
import { GROUPED_SYMBOLS, toDatasetSymbol } from '../day-files/dataset-symbol.js';
import { isFirstDayOfMonth } from '../day-files/day.js';
import type { DayFile } from '../day-files/day-file.js';
import type { KeyProblem } from '../events/run-tally.js';
import { readBody } from '../http/watched-body.js';
import { parseJsonBody, readErrorResponse } from './read-error-response.js';
import type { KeyAccess } from './records/response-schemas.js';
import { formatUrlForLog, sendGet, withResponseTimeout } from './send-request.js';
import type { ServiceClient } from './service-client.js';

const MS_PER_DAY = 86_400_000;
/** A download works without the key info, so it waits for it only this long. */
const KEY_INFO_TIMEOUT_MS = 10_000;

/** Whether a day file may be requested. */
export type CanRequest = (file: DayFile) => boolean;

/** Day files that the configured key covers. */
export interface KeyCoverage {
  readonly canRequest: CanRequest;
  /** Why only first days of months are covered; undefined if the key may cover others. */
  readonly keyProblem: KeyProblem | undefined;
}

/**
 * Determines the day files that the service serves: first days of months without a key, others if the key covers
 * them. If the call fails, the key counts as covering everything, and each file's response decides
 * (`docs/spec/metadata-api.md#key-info`).
 * @param warn called if the key has expired.
 * @throws the reason of an abort.
 */
export async function fetchKeyCoverage(
  client: ServiceClient,
  signal: AbortSignal,
  warn: (message: string) => void,
): Promise<KeyCoverage> {
  const { apiKey } = client.config;
  const info = apiKey === undefined ? [] : await fetchInfo(client, signal);
  const isCovered = info ? createCoverageTest(info) : () => true;
  const keyProblem = apiKey === undefined ? 'missing' : info?.length === 0 ? 'expired' : undefined;
  if (apiKey !== undefined && keyProblem === 'expired') {
    warn(`the API key ${formatKeyForLog(apiKey)} has expired; renew it or set another`);
  }
  return { canRequest: (file) => isCovered(file) || isFirstDayOfMonth(file.day), keyProblem };
}

/**
 * Creates a test of whether a key's info covers a day file. If that is unclear, the file counts as covered and the
 * service decides: an invalid time has no limit, and a grouped symbol may contain symbols of the key.
 */
export function createCoverageTest(info: readonly KeyAccess[]): CanRequest {
  // Indexed by exchange: a key may have dozens of entries, and a plan a million files.
  const spans = new Map<string, readonly AccessSpan[]>();
  for (const access of info) {
    spans.set(access.exchange, [...(spans.get(access.exchange) ?? []), toAccessSpan(access)]);
  }
  return ({ exchange, symbol, day }) => {
    const startMs = day * MS_PER_DAY;
    for (const { fromMs, toMs, symbols } of spans.get(exchange) ?? []) {
      const isWithin = startMs + MS_PER_DAY > fromMs && startMs < toMs;
      const hasSymbol = !symbols || symbols.has(toDatasetSymbol(symbol)) || GROUPED_SYMBOLS.has(symbol);
      if (isWithin && hasSymbol) return true;
    }
    return false;
  };
}

/** Undefined if the call fails or takes too long. */
async function fetchInfo(
  client: ServiceClient,
  signal: AbortSignal,
): Promise<readonly KeyAccess[] | undefined> {
  const callSignal = AbortSignal.any([signal, AbortSignal.timeout(KEY_INFO_TIMEOUT_MS)]);
  try {
    return await fetchKeyInfo(client, { tries: 1, signal: callSignal });
  } catch (error) {
    if (signal.aborted || !(error instanceof TickhaulError)) throw error;
    return undefined;
  }
}

interface AccessSpan {
  readonly fromMs: number;
  /** Exclusive. */
  readonly toMs: number;
  /** Undefined for all. */
  readonly symbols: ReadonlySet<string> | undefined;
}

function toAccessSpan({ from, to, symbols }: KeyAccess): AccessSpan {
  const coversAll = !symbols || symbols.length === 0;
  return {
    fromMs: parseTimeOr(from, Number.NEGATIVE_INFINITY),
    toMs: parseTimeOr(to, Number.POSITIVE_INFINITY),
    symbols: coversAll ? undefined : new Set(symbols.map(toDatasetSymbol)),
  };
}

function parseTimeOr(iso: string | null | undefined, fallbackMs: number): number {
  const ms = Date.parse(iso ?? '');
  return Number.isNaN(ms) ? fallbackMs : ms;
}

export type { KeyAccess };

/** Number of characters shown, and the shortest key that stays secret without them. */
const SHOWN_CHARACTERS = 4;
const MIN_KEY_LENGTH = 8;

/** Formats a key for messages: only its last characters, enough for its owner to recognize it. */
export function formatKeyForLog(apiKey: string): string {
  return `…${apiKey.length < MIN_KEY_LENGTH ? '' : apiKey.slice(-SHOWN_CHARACTERS)}`;
}

const KEY_INFO_PATH = '/v1/api-key-info';
const MAX_ATTEMPTS = 4;
const MAX_WAIT_MS = 60_000;
const MAX_RESPONSE_BYTES = 16_000_000;

/**
 * Fetches the access of the configured API key (`docs/spec/metadata-api.md#key-info`).
 * @returns an empty list for an expired key.
 * @throws TickhaulError `bad_key` for a wrong key, `unavailable` if the service lacks this call, `bad_answer`.
 */
export function fetchKeyInfo(
  client: ServiceClient,
  {
    tries = MAX_ATTEMPTS,
    signal,
  }: { readonly tries?: number; readonly signal?: AbortSignal | undefined } = {},
): Promise<readonly KeyAccess[]> {
  const { apiUrl, apiKey, stallTimeoutMs } = client.config;
  const url = apiUrl + KEY_INFO_PATH;
  const name = formatUrlForLog(new URL(url));
  const headers = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
  const fetchInfo = async (callSignal: AbortSignal): Promise<readonly KeyAccess[]> => {
    const [response, { parseKeyInfo }] = await Promise.all([
      sendGet(client, url, headers, callSignal),
      client.requestsStarted().then(() => import('./records/response-schemas.js')),
    ]);
    if (response.status !== 200) throw await readErrorResponse(response, apiKey);
    const body = await readBody(response.body, MAX_RESPONSE_BYTES);
    return parseKeyInfo(parseJsonBody(body.toString()), name);
  };
  const attempt = (): Promise<readonly KeyAccess[]> =>
    withResponseTimeout(name, stallTimeoutMs, signal, fetchInfo);
  return withRetries(attempt, { maxAttempts: tries, maxWaitMs: MAX_WAIT_MS, signal });
}
