import { TickhaulError, usageError } from '../../base/errors.js';
import { didYouMean } from '../../base/nearest.js';
import { withRetries } from '../../base/retry.js';
import { discardBody } from '../../http/body-watch.js';
import { pathSegment } from '../datasets.js';
import type { Client } from '../http/client.js';
import { errorAnswer, oneLine } from '../http/error-answer.js';
import { get, type Headers, shownUrl } from '../http/http.js';
import type { Check } from '../types.js';
import { type CachedAnswer, isFresh, readCache, touchCache, type Validators, writeCache } from './cache.js';
import type { ExchangeRecord, ExchangeSummary } from './exchange-record.js';
import { readAnswer } from './read-answer.js';
import { parseDatasetRecord } from './record-json.js';

export type { DatasetSymbol, ExchangeRecord, ExchangeSummary } from './exchange-record.js';

const TRIES = 4;
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
  client: Client,
  options: MetadataOptions = {},
): Promise<readonly ExchangeSummary[]> {
  return fetchJson(client, '/v1/exchanges', async () => (await schema()).checkSummaries, options);
}

/**
 * One exchange's record, whole.
 * @throws usage error for an exchange the service doesn't know, with the nearest ones it does.
 */
export function fetchExchange(
  client: Client,
  id: string,
  options: MetadataOptions = {},
): Promise<ExchangeRecord> {
  return fetchRecordWith(client, id, options, (body) => JSON.parse(body.toString()), recordCheck);
}

/** One exchange's record without what only raw replay needs, in a fraction of the memory; else as `fetchExchange`. */
export function fetchDatasetRecord(
  client: Client,
  id: string,
  options: MetadataOptions = {},
): Promise<ExchangeRecord> {
  return fetchRecordWith(client, id, options, parseDatasetRecord, recordCheck);
}

/**
 * What `parse` and the check make of one exchange's record; throws as `fetchExchange` does.
 * @param parse makes of the answer's bytes what is wanted of it; throws SyntaxError.
 */
export async function fetchRecordWith<T>(
  client: Client,
  id: string,
  options: MetadataOptions,
  parse: Parse,
  loadCheck: () => Promise<Check<T>>,
): Promise<T> {
  try {
    return await fetchJson(client, `/v1/exchanges/${pathSegment(id)}`, loadCheck, options, parse);
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
const schema = () => import('./schema.js');
const recordCheck = async (): Promise<Check<ExchangeRecord>> => (await schema()).checkRecord;

async function fetchJson<T>(
  client: Client,
  path: string,
  loadCheck: () => Promise<Check<T>>,
  { cache, fresh = false, offline = false, signal }: MetadataOptions,
  parse: Parse = (body) => JSON.parse(body.toString()),
): Promise<T> {
  const url = client.config.apiUrl + path;
  const name = shownUrl(new URL(url));
  const copy = cache === undefined ? undefined : await readCopy(cache, url, loadCheck, parse);
  if (copy && (offline || (!fresh && isFresh(copy.stored)))) return copy.value;
  if (offline) {
    throw new TickhaulError('not_exported', `${name}: there is no stored copy; run once without --offline`);
  }

  const askOnce = async (): Promise<T> => {
    // These answers are public: they need no key, and get none.
    const [answer, check] = await Promise.all([
      get(client, url, copy ? conditions(copy.stored) : {}, signal),
      loadCheck(),
    ]);
    if (answer.status === 304 && copy && cache !== undefined) {
      await discardBody(answer.body);
      await touchCache(cache, url);
      return copy.value;
    }
    if (answer.status !== 200) throw await errorAnswer(answer, undefined);
    const body = await readAnswer(client, answer);
    const value = check(parseJson(body, name, parse), name);
    if (cache !== undefined) await writeCache(cache, url, body, validatorsOf(answer.headers));
    return value;
  };
  return withRetries(askOnce, { tries: TRIES, maxWaitMs: MAX_WAIT_MS, signal });
}

interface Copy<T> {
  readonly stored: CachedAnswer;
  readonly value: T;
}

/** The stored copy, where there is one that is still whole and right. */
async function readCopy<T>(
  cache: string,
  url: string,
  loadCheck: () => Promise<Check<T>>,
  parse: Parse,
): Promise<Copy<T> | undefined> {
  const stored = await readCache(cache, url);
  if (!stored) return undefined;
  const check = await loadCheck();
  try {
    return { stored, value: check(parseJson(stored.body, url, parse), url) };
  } catch {
    return undefined;
  }
}

function conditions({ etag, lastModified }: CachedAnswer): Headers {
  return {
    ...(etag !== undefined && { 'if-none-match': etag }),
    ...(lastModified !== undefined && { 'if-modified-since': lastModified }),
  };
}

function validatorsOf(headers: Headers): Validators {
  return { etag: headers['etag'], lastModified: headers['last-modified'] };
}

function parseJson(body: Buffer, name: string, parse: Parse): unknown {
  try {
    return parse(body);
  } catch (cause) {
    const start = oneLine(body.toString('utf8', 0, 200), 60);
    const found = start === '' ? 'nothing' : `"${start}"`;
    throw new TickhaulError('bad_answer', `${name}: expected JSON, found ${found}`, { cause });
  }
}
