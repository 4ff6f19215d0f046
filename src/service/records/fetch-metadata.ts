import { createHash } from 'node:crypto';
import { open, readdir, readFile, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { writeWhole } from '../../base/disk-files.js';
import { TickhaulError } from '../../base/errors.js';
import { NestingError, parseShallowJson } from '../../base/json-depth.js';
import { toOneLine } from '../../base/text.js';
import { formatSize } from '../../base/units.js';
import { withRetries } from '../../base/with-retries.js';
import { discardBody, readWholeBody } from '../../http/watched-body.js';
import { readErrorResponse } from '../read-error-response.js';
import { formatUrlForLog, type HttpHeaders, type ServiceResponse, sendGet } from '../send-request.js';
import type { ParseResponse, ServiceClient } from '../service-client.js';

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
  { parse = parseShallowJson, apiKey, isPart = false }: MetadataRequest = {},
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
    return parse(body);
  } catch (cause) {
    if (cause instanceof NestingError)
      throw new TickhaulError('bad_answer', `${name}: the response is nested too deeply`, { cause });
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

/** Milliseconds for which a copy is used without a request. */
export const CACHE_FRESH_MS = 3_600_000;

/** Copies of parts of a list that are kept in a folder: the latest ones. */
const MAX_PARTS = 64;

/** Validators for conditional requests (RFC 9110, section 13.1). */
interface Validators {
  readonly etag: string | undefined;
  readonly lastModified: string | undefined;
}

/** A stored response. */
interface CachedResponse extends Validators {
  readonly body: Buffer;
  /** Milliseconds since the response was fetched or last confirmed as unchanged. */
  readonly ageMs: number;
}

interface CacheHeader {
  readonly url: string;
  readonly bytes: number;
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
}

/**
 * Reads the stored response of a URL. A file holds one line of JSON and then the body as received; its modification
 * time is the time of the request (`docs/spec/metadata-api.md#stored-copies`).
 * @returns undefined if there is no file or it cannot be used, for any reason.
 */
export async function readCachedResponse(
  folder: string,
  url: string,
  isPart = false,
): Promise<CachedResponse | undefined> {
  try {
    const path = cachePath(folder, url, isPart);
    const [bytes, { mtimeMs }] = await Promise.all([readFile(path), stat(path)]);
    const end = bytes.indexOf('\n');
    const header = JSON.parse(bytes.toString('utf8', 0, end)) as CacheHeader;
    const body = bytes.subarray(end + 1);
    if (header.url !== url || header.bytes !== body.length) return undefined;
    const ageMs = Date.now() - mtimeMs;
    return { body, ageMs, etag: asText(header.etag), lastModified: asText(header.lastModified) };
  } catch {
    return undefined;
  }
}

/** Whether a copy may be used without a request. A copy from the future may not: the clock was changed. */
function isFresh({ ageMs }: CachedResponse): boolean {
  return ageMs > -1000 && ageMs < CACHE_FRESH_MS;
}

/**
 * Stores a response. Of parts, the oldest ones beyond the limit are removed. If the folder cannot be written, nothing
 * is stored and no error is thrown.
 * @param isPart whether there may be any number of such responses, as for the filters that clients invent.
 */
export async function writeCachedResponse(
  folder: string,
  url: string,
  body: Buffer,
  validators: Validators,
  isPart = false,
): Promise<void> {
  const header: CacheHeader = { url, bytes: body.length, ...validators };
  try {
    const content = [`${JSON.stringify(header)}\n`, body];
    await writeWhole(cachePath(folder, url, isPart), content, { followsLinks: false, sync: false });
    if (isPart) await removeOldParts(folder);
  } catch {
    // A copy saves a request, and nothing depends on it.
  }
}

async function removeOldParts(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter(
    (name) => name.startsWith(PART_PREFIX) && name.endsWith(EXTENSION),
  );
  if (names.length <= MAX_PARTS) return;
  const parts = await Promise.all(
    names.map(async (name) => {
      const path = join(folder, name);
      // Another process may have removed it.
      const file = await stat(path).catch(() => undefined);
      return { path, mtimeMs: file?.mtimeMs ?? 0 };
    }),
  );
  parts.sort((one, other) => other.mtimeMs - one.mtimeMs);
  await Promise.all(parts.slice(MAX_PARTS).map(({ path }) => rm(path, { force: true })));
}

/** Renews a copy's time after the service confirmed it as unchanged. */
async function touchCachedResponse(folder: string, url: string, isPart: boolean): Promise<void> {
  const now = new Date();
  await utimes(cachePath(folder, url, isPart), now, now).catch(() => undefined);
}

/** Bytes that hold any header. */
const MAX_HEADER_BYTES = 4096;

/** Lists the URLs with stored responses, in any order; empty if the folder cannot be read. */
export async function listCachedUrls(folder: string): Promise<readonly string[]> {
  const files = await readdir(folder).catch(() => []);
  const urls = await Promise.all(
    files.filter((name) => name.endsWith(EXTENSION)).map((name) => readCachedUrl(join(folder, name))),
  );
  return urls.filter((url) => url !== undefined);
}

async function readCachedUrl(path: string): Promise<string | undefined> {
  try {
    const file = await open(path);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_HEADER_BYTES), 0, MAX_HEADER_BYTES, 0);
      const [header = ''] = buffer.toString('utf8', 0, bytesRead).split('\n', 1);
      return asText((JSON.parse(header) as CacheHeader).url);
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}

const EXTENSION = '.cache';

const PART_PREFIX = 'part-';

function cachePath(folder: string, url: string, isPart: boolean): string {
  const hash = createHash('sha256').update(url).digest('hex').slice(0, 32);
  return join(folder, `${isPart ? PART_PREFIX : ''}${hash}${EXTENSION}`);
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
