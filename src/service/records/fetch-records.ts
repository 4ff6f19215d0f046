import { TickhaulError, usageError } from '../../base/errors.js';
import { didYouMean } from '../../base/nearest-names.js';
import { withRetries } from '../../base/with-retries.js';
import { discardBody } from '../../http/watched-body.js';
import { readErrorResponse, toOneLine } from '../http/read-error-response.js';
import { formatUrlForLog, type HttpHeaders, sendGet } from '../http/send-request.js';
import type { ServiceClient } from '../http/service-client.js';
import { encodePathSegment } from '../request-day-file.js';
import type { ParseResponse } from '../service-config.js';
import type { ExchangeRecord, ExchangeSummary } from './exchange-record.js';
import { parseDatasetRecord, parseRecordWithIncidents } from './parse-dataset-record.js';
import { readAnswer } from './read-answer.js';
import {
  type CachedResponse,
  isFresh,
  readCachedResponse,
  touchCachedResponse,
  type Validators,
  writeCachedResponse,
} from './response-cache.js';

export type { DatasetSymbol, ExchangeRecord, ExchangeSummary } from './exchange-record.js';

const MAX_ATTEMPTS = 4;
const MAX_WAIT_MS = 60_000;

export interface MetadataOptions {
  /** Folder for copies of responses; without one, each call sends a request. */
  readonly cache?: string | undefined;
  /** Send a request even if a copy is younger than an hour. */
  readonly fresh?: boolean | undefined;
  /** Send no request: use a copy of any age. */
  readonly offline?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Fetches all exchanges (`docs/spec/metadata-api.md#exchange-list`).
 * @throws TickhaulError `bad_answer` if the response is not a list of exchanges; otherwise as for any request.
 */
export function fetchExchanges(
  client: ServiceClient,
  options: MetadataOptions = {},
): Promise<readonly ExchangeSummary[]> {
  return fetchJson(client, '/v1/exchanges', async () => (await loadSchema()).parseSummaries, options);
}

/**
 * Fetches the full record of one exchange (`docs/spec/metadata-api.md#exchange-record`).
 * @throws usage error for an unknown exchange, with the most similar exchange ids.
 */
export function fetchExchange(
  client: ServiceClient,
  id: string,
  options: MetadataOptions = {},
): Promise<ExchangeRecord> {
  return fetchRecordWith(client, id, options, (body) => JSON.parse(body.toString()), loadRecordCheck);
}

/** Like `fetchExchange`, but without the fields that only raw replay uses, in a fraction of the memory. */
export function fetchDatasetRecord(
  client: ServiceClient,
  id: string,
  options: MetadataOptions = {},
): Promise<ExchangeRecord> {
  return fetchRecordWith(client, id, options, parseDatasetRecord, loadRecordCheck);
}

/** Like `fetchDatasetRecord`, with the incident reports. */
export function fetchRecordWithIncidents(
  client: ServiceClient,
  id: string,
  options: MetadataOptions = {},
): Promise<ExchangeRecord> {
  return fetchRecordWith(client, id, options, parseRecordWithIncidents, loadRecordCheck);
}

/**
 * Fetches one exchange's record with a custom parser; throws as `fetchExchange` does.
 * @param parse parses the needed fields from the response's bytes; throws SyntaxError.
 * @param loadCheck loads the function that checks the parsed fields.
 */
export async function fetchRecordWith<T>(
  client: ServiceClient,
  id: string,
  options: MetadataOptions,
  parse: Parse,
  loadCheck: () => Promise<ParseResponse<T>>,
): Promise<T> {
  try {
    return await fetchJson(client, `/v1/exchanges/${encodePathSegment(id)}`, loadCheck, options, parse);
  } catch (error) {
    const isUnknown = error instanceof TickhaulError && (error.status === 404 || error.status === 400);
    if (!isUnknown) throw error;
    const known = (await fetchExchanges(client, options)).map((exchange) => exchange.id);
    if (known.includes(id)) {
      throw new TickhaulError(
        'bad_answer',
        `${id} is in the list of exchanges, but has no record; try again later`,
        {
          status: error.status,
          cause: error,
        },
      );
    }
    throw usageError(
      `unknown exchange "${id}"${didYouMean(id, known) || '; run tickhaul exchanges to list them'}`,
    );
  }
}

type Parse = (body: Buffer) => unknown;

/** The schema loads while the first request is in flight. */
const loadSchema = () => import('./record-schema.js');
const loadRecordCheck = async (): Promise<ParseResponse<ExchangeRecord>> => (await loadSchema()).parseRecord;

async function fetchJson<T>(
  client: ServiceClient,
  path: string,
  loadCheck: () => Promise<ParseResponse<T>>,
  { cache, fresh = false, offline = false, signal }: MetadataOptions,
  parse: Parse = (body) => JSON.parse(body.toString()),
): Promise<T> {
  const url = client.config.apiUrl + path;
  const name = formatUrlForLog(new URL(url));
  const copy = cache === undefined ? undefined : await readCopy(cache, url, loadCheck, parse);
  if (copy && (offline || (!fresh && isFresh(copy.stored)))) return copy.value;
  if (offline) {
    throw new TickhaulError('not_exported', `${name}: no stored copy exists; run once without --offline`);
  }

  const attempt = async (): Promise<T> => {
    // These responses are public, so the key is not sent.
    const [response, check] = await Promise.all([
      sendGet(client, url, copy ? conditionalHeaders(copy.stored) : {}, signal),
      loadCheck(),
    ]);
    if (response.status === 304 && copy && cache !== undefined) {
      await discardBody(response.body);
      await touchCachedResponse(cache, url);
      return copy.value;
    }
    if (response.status !== 200) throw await readErrorResponse(response, undefined);
    const body = await readAnswer(client, response);
    const value = check(parseJson(body, name, parse), name);
    if (cache !== undefined) await writeCachedResponse(cache, url, body, readValidators(response.headers));
    return value;
  };
  return withRetries(attempt, { maxAttempts: MAX_ATTEMPTS, maxWaitMs: MAX_WAIT_MS, signal });
}

interface StoredCopy<T> {
  readonly stored: CachedResponse;
  readonly value: T;
}

/** Reads the stored copy; undefined if there is none, or if it is damaged or no longer valid. */
async function readCopy<T>(
  cache: string,
  url: string,
  loadCheck: () => Promise<ParseResponse<T>>,
  parse: Parse,
): Promise<StoredCopy<T> | undefined> {
  const stored = await readCachedResponse(cache, url);
  if (!stored) return undefined;
  const check = await loadCheck();
  try {
    return { stored, value: check(parseJson(stored.body, url, parse), url) };
  } catch {
    return undefined;
  }
}

function conditionalHeaders({ etag, lastModified }: CachedResponse): HttpHeaders {
  return {
    ...(etag !== undefined && { 'if-none-match': etag }),
    ...(lastModified !== undefined && { 'if-modified-since': lastModified }),
  };
}

function readValidators(headers: HttpHeaders): Validators {
  return { etag: headers['etag'], lastModified: headers['last-modified'] };
}

function parseJson(body: Buffer, name: string, parse: Parse): unknown {
  try {
    return parse(body);
  } catch (cause) {
    const start = toOneLine(body.toString('utf8', 0, 200), 60);
    const found = start === '' ? 'nothing' : `"${start}"`;
    throw new TickhaulError('bad_answer', `${name}: expected JSON, found ${found}`, { cause });
  }
}
