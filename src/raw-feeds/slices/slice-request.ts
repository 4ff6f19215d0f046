import { TickhaulError } from '../../base/errors.js';
import { formatSize } from '../../base/units.js';
import { wait } from '../../base/wait.js';
import { MINUTES_PER_DAY, type MinuteRange, MS_PER_MINUTE } from '../../day-files/day.js';
import type { ByteRateLimit } from '../../http/concurrency.js';
import { parseRetryAfter } from '../../http/failed-response.js';
import { discardBody } from '../../http/watched-body.js';
import { readErrorResponse } from '../../service/read-error-response.js';
import { encodePathSegment } from '../../service/request-day-file.js';
import { type HttpHeaders, sendGet } from '../../service/send-request.js';
import type { ServiceClient } from '../../service/service-client.js';
import { HAS_ZSTD, type SliceEncoding } from './unpack-slice.js';

/** Maximum minutes of one request (docs/spec/raw-feeds-api.md#slice-request). */
export const MAX_REQUEST_MINUTES = 10;

/** Maximum size of a response; larger than any real slice. */
const MAX_RESPONSE_BYTES = 1024 * 1024 * 1024;

export interface SliceRequest extends MinuteRange {
  readonly exchange: string;
  /** Canonical filters as text; undefined for the whole exchange. */
  readonly filters: string | undefined;
}

/** A slice as the service sent it, not verified yet. */
interface SliceResponse {
  readonly bytes: Buffer;
  readonly encoding: SliceEncoding;
  /** Minutes in the response; the requested number unless a header says otherwise. */
  readonly minutes: number;
  /** Suggested minutes for the next request; undefined without a header. */
  readonly suggestedMinutes: number | undefined;
}

/**
 * The URL of a slice. Equal minutes and filters always give the same URL
 * (docs/spec/raw-feeds-api.md#slice-request).
 */
function sliceUrl(base: string, { exchange, filters, start, end }: SliceRequest): string {
  const offset = start % MINUTES_PER_DAY;
  const from = encodeURIComponent(new Date((start - offset) * MS_PER_MINUTE).toISOString());
  const selected = filters === undefined ? '' : `&filters=${encodeURIComponent(filters)}`;
  const compression = HAS_ZSTD ? 'zstd' : 'gzip';
  const size = end - start > 1 ? `&sliceSize=${end - start}` : '';
  const query = `from=${from}&offset=${offset}${selected}&compression=${compression}${size}`;
  return `${base}/v1/data-feeds/${encodePathSegment(exchange)}?${query}`;
}

/**
 * Requests one slice, without retries.
 * @param onHeaders called with the response headers, for any status.
 * @throws TickhaulError by status, or as `sendGet`; `bad_answer` for an unexpected compression or an
 * oversized response.
 */
export async function requestSlice(
  client: ServiceClient,
  request: SliceRequest,
  rate: ByteRateLimit,
  onHeaders: (headers: HttpHeaders) => void,
  signal: AbortSignal,
): Promise<SliceResponse> {
  const { apiKey, apiUrl } = client.config;
  const headers = {
    'accept-encoding': HAS_ZSTD ? 'zstd, gzip' : 'gzip',
    ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
  };
  const response = await sendGet(client, sliceUrl(apiUrl, request), headers, signal);
  onHeaders(response.headers);
  if (response.status !== 200) throw await readErrorResponse(response, apiKey);
  const encoding = parseEncoding(response.headers);
  if (!encoding) {
    await discardBody(response.body);
    const name = response.headers['content-encoding'];
    throw new TickhaulError('bad_answer', `${response.name}: expected gzip or zstd, found "${name}"`);
  }
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response.body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MAX_RESPONSE_BYTES) {
      throw new TickhaulError(
        'bad_answer',
        `${response.name}: the response is larger than ${formatSize(MAX_RESPONSE_BYTES)}`,
      );
    }
    await rate(chunk.length, signal);
  }
  return {
    bytes: concatChunks(chunks, length),
    encoding,
    minutes: parseMinuteCount(response.headers['x-slice-size']) ?? request.end - request.start,
    suggestedMinutes: parseMinuteCount(response.headers['x-suggested-slice-size']),
  };
}

/** Avoids the copy if there is only one chunk. */
function concatChunks(chunks: readonly Buffer[], length: number): Buffer {
  const [only] = chunks;
  return only && chunks.length === 1 ? only : Buffer.concat(chunks, length);
}

/** Absent means gzip (docs/spec/raw-feeds-api.md#slice-answer), as in responses from old caches. */
function parseEncoding(headers: HttpHeaders): SliceEncoding | undefined {
  const name = headers['content-encoding']?.trim().toLowerCase() ?? 'gzip';
  return name === 'gzip' || name === 'zstd' ? name : undefined;
}

/** A valid number of minutes in a response header; undefined otherwise. */
function parseMinuteCount(text: string | undefined): number | undefined {
  const minutes = Number(text?.trim() || Number.NaN);
  return Number.isInteger(minutes) && minutes >= 1 && minutes <= MAX_REQUEST_MINUTES ? minutes : undefined;
}

/** Added to the reset time of the service, whose clock may differ. */
const CLOCK_MARGIN_MS = 50;
/** The service counts requests for each minute. */
const MINUTE_MS = 60_000;
const POLL_MS = 500;
/** Reset times that differ by less belong to the same window. */
const SAME_WINDOW_MS = 2000;

/**
 * Tracks the remaining requests by the service's headers (docs/spec/raw-feeds-api.md#request-rate), so that
 * the limit is never exceeded. Other clients may use the same account, so the latest response counts.
 */
export interface RequestQuota {
  /** Waits until a request is allowed, and counts it. */
  acquire(signal: AbortSignal): Promise<void>;
  /** To be called with the headers of each response. */
  onHeaders(headers: HttpHeaders): void;
  /** To be called when a request has its response, or has failed. */
  onRequestEnd(): void;
}

/** @param now monotonic clock in milliseconds. */
export function createRequestQuota(now = (): number => performance.now()): RequestQuota {
  /** Requests left until `resetAt`, and below the limit of a whole minute. */
  let remaining = Number.POSITIVE_INFINITY;
  let resetAt = Number.NEGATIVE_INFINITY;
  let limit = Number.POSITIVE_INFINITY;
  /** Whether `resetAt` is an estimate and not from a header. */
  let isEstimate = true;
  let inFlight = 0;
  return {
    async acquire(signal) {
      for (;;) {
        if (now() >= resetAt) {
          remaining = limit;
          resetAt = now() + MINUTE_MS;
          isEstimate = true;
        }
        if (remaining > 0) break;
        // A response may announce an earlier reset.
        await wait(Math.min(resetAt - now(), POLL_MS), signal);
      }
      remaining--;
      inFlight++;
    },
    onHeaders(headers) {
      const announced = parseCount(headers['x-ratelimit-remaining']);
      const resetMs = parseRetryAfter(headers['x-ratelimit-reset-after'], Date.now());
      if (announced === undefined || resetMs === undefined || resetMs > 2 * MINUTE_MS) return;
      limit = parseCount(headers['x-ratelimit-limit']) ?? limit;
      // Requests in flight may not be in the service's count yet.
      const free = announced - (inFlight - 1);
      const end = now() + resetMs + CLOCK_MARGIN_MS;
      // Responses may arrive in any order, and the time is in whole seconds.
      const isOlder = !isEstimate && end < resetAt - SAME_WINDOW_MS;
      if (isOlder) return;
      remaining = !isEstimate && end > resetAt + SAME_WINDOW_MS ? free : Math.min(remaining, free);
      resetAt = end;
      isEstimate = false;
    },
    onRequestEnd() {
      inFlight--;
    },
  };
}

function parseCount(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text.trim()) ? Number(text) : undefined;
}
