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
import { parseDatasetRecord } from './parse-dataset-record.js';
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
  /** Folder for copies of answers; without one, each call asks the service. */
  readonly cache?: string | undefined;
  /** Ask the service even where a copy is younger than an hour. */
  readonly fresh?: boolean | undefined;
  /** Ask for nothing: only a copy will do, of any age. */
  readonly offline?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * All exchanges (service interface, Exchange metadata API).
 * @throws TickhaulError `bad_answer` for what is no list of exchanges; else as for any request.
 */
export function fetchExchanges(
  client: ServiceClient,
  options: MetadataOptions = {},
): Promise<readonly ExchangeSummary[]> {
  return fetchJson(client, '/v1/exchanges', async () => (await schema()).parseSummaries, options);
}

/**
 * One exchange's record, whole.
 * @throws usage error for an exchange the service doesn't know, with the nearest ones it does.
 */
export function fetchExchange(
  client: ServiceClient,
  id: string,
  options: MetadataOptions = {},
): Promise<ExchangeRecord> {
  return fetchRecordWith(client, id, options, (body) => JSON.parse(body.toString()), recordCheck);
}

/** One exchange's record without what only raw replay needs, in a fraction of the memory; else as `fetchExchange`. */
export function fetchDatasetRecord(
  client: ServiceClient,
  id: string,
  options: MetadataOptions = {},
): Promise<ExchangeRecord> {
  return fetchRecordWith(client, id, options, parseDatasetRecord, recordCheck);
}

/**
 * What `parseCommandLine` and the check make of one exchange's record; throws as `fetchExchange` does.
 * @param parse makes of the answer's bytes what is wanted of it; throws SyntaxError.
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
        `${id} is in the list of exchanges, but has no record: try again later`,
        {
          status: error.status,
          cause: error,
        },
      );
    }
    throw usageError(`unknown exchange "${id}"${didYouMean(id, known) || '; see: tickhaul exchanges'}`);
  }
}

type Parse = (body: Buffer) => unknown;

/** What checks answers is loaded while the first one is on its way. */
const schema = () => import('./record-schema.js');
const recordCheck = async (): Promise<ParseResponse<ExchangeRecord>> => (await schema()).parseRecord;

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
    throw new TickhaulError('not_exported', `${name}: there is no stored copy; run once without --offline`);
  }

  const askOnce = async (): Promise<T> => {
    // These answers are public: they need no key, and get none.
    const [answer, check] = await Promise.all([
      sendGet(client, url, copy ? conditionalHeaders(copy.stored) : {}, signal),
      loadCheck(),
    ]);
    if (answer.status === 304 && copy && cache !== undefined) {
      await discardBody(answer.body);
      await touchCachedResponse(cache, url);
      return copy.value;
    }
    if (answer.status !== 200) throw await readErrorResponse(answer, undefined);
    const body = await readAnswer(client, answer);
    const value = check(parseJson(body, name, parse), name);
    if (cache !== undefined) await writeCachedResponse(cache, url, body, readValidators(answer.headers));
    return value;
  };
  return withRetries(askOnce, { maxAttempts: MAX_ATTEMPTS, maxWaitMs: MAX_WAIT_MS, signal });
}

interface StoredCopy<T> {
  readonly stored: CachedResponse;
  readonly value: T;
}

/** The stored copy, where there is one that is still whole and right. */
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
