import { TickhaulError } from '../../base/errors.js';
import { assertShallowJson } from '../../base/json-depth.js';
import { toOneLine } from '../../base/text.js';
import { formatSize } from '../../base/units.js';
import { withRetries } from '../../base/with-retries.js';
import { discardBody, readWholeBody } from '../../http/watched-body.js';
import { readErrorResponse } from '../read-error-response.js';
import { formatUrlForLog, type HttpHeaders, type ServiceResponse, sendGet } from '../send-request.js';
import type { ParseResponse, ServiceClient } from '../service-client.js';
import {
  type CachedResponse,
  isFresh,
  readCachedResponse,
  touchCachedResponse,
  type Validators,
  writeCachedResponse,
} from './response-cache.js';

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

/** Parses a body, or the needed fields of it. @throws SyntaxError if it is not JSON. */
export type ParseBody = (body: Buffer) => unknown;

/** How a response is requested and read. */
interface MetadataRequest {
  readonly parse?: ParseBody | undefined;
  /** Sent only if set: most of the metadata is public. */
  readonly apiKey?: string | undefined;
  /** Whether the response is one of many parts of a list, of which only the latest copies are kept. */
  readonly isPart?: boolean | undefined;
}

/**
 * Fetches JSON from the metadata host, or from its stored copy (`docs/spec/metadata-api.md#stored-copies`).
 * @param loadCheck loads the function that checks the parsed body.
 * @throws TickhaulError `not_exported` if there is no copy to use offline; `bad_answer`; by the response's status.
 */
export async function fetchMetadata<T>(
  client: ServiceClient,
  path: string,
  loadCheck: () => Promise<ParseResponse<T>>,
  { cache, fresh = false, offline = false, signal }: MetadataOptions,
  { parse = (body) => JSON.parse(body.toString()), apiKey, isPart = false }: MetadataRequest = {},
): Promise<T> {
  const url = client.config.apiUrl + path;
  const name = formatUrlForLog(new URL(url));
  const copy = cache === undefined ? undefined : await readCopy(cache, url, isPart, loadCheck, parse);
  if (copy && (offline || (!fresh && isFresh(copy.stored)))) return copy.value;
  if (offline) {
    throw new TickhaulError('not_exported', `${name}: no stored copy exists; run once without --offline`);
  }

  const attempt = async (): Promise<T> => {
    const headers = {
      ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
      ...(copy && conditionalHeaders(copy.stored)),
    };
    const [response, check] = await Promise.all([
      sendGet(client, url, headers, signal),
      client.requestsStarted().then(loadCheck),
    ]);
    if (response.status === 304 && copy && cache !== undefined) {
      await discardBody(response.body);
      await touchCachedResponse(cache, url, isPart);
      return copy.value;
    }
    if (response.status !== 200) throw await readErrorResponse(response, apiKey);
    const body = await readAnswer(client, response);
    const value = check(parseJson(body, name, parse), name);
    if (cache !== undefined)
      await writeCachedResponse(cache, url, body, readValidators(response.headers), isPart);
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
  isPart: boolean,
  loadCheck: () => Promise<ParseResponse<T>>,
  parse: ParseBody,
): Promise<StoredCopy<T> | undefined> {
  const stored = await readCachedResponse(cache, url, isPart);
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

function parseJson(body: Buffer, name: string, parse: ParseBody): unknown {
  try {
    assertShallowJson(body);
  } catch (cause) {
    throw new TickhaulError('bad_answer', `${name}: the response is nested too deeply`, { cause });
  }
  try {
    return parse(body);
  } catch (cause) {
    const start = toOneLine(body.toString('utf8', 0, 200), 60);
    const found = start === '' ? 'nothing' : `"${start}"`;
    throw new TickhaulError('bad_answer', `${name}: expected JSON, found ${found}`, { cause });
  }
}

/** Bytes of an answer, unless the client's configuration has another limit; the largest record known has 100 MB. */
const MAX_ANSWER = 192 * 1024 * 1024;

/**
 * The body of an answer of the metadata host.
 * @throws TickhaulError `bad_answer` for one past the limit, which is broken off there; else as reading a body does.
 */
async function readAnswer(
  { config: { maxAnswerBytes: limit = MAX_ANSWER } }: ServiceClient,
  { body, name }: ServiceResponse,
): Promise<Buffer> {
  const whole = await readWholeBody(body, limit);
  if (whole) return whole;
  throw new TickhaulError(
    'bad_answer',
    `${name}: the response is larger than ${formatSize(limit)}; check the host, or raise TICKHAUL_MAX_ANSWER`,
  );
}
