import zlib, { gzipSync } from 'node:zlib';
import { isFirstDayOfMonth, msToDay } from '../../day-files/day.js';
import { createMemoryContent } from '../archive/gzip-content.js';
import type { LineFilter } from '../feed-lines/feed-markets.js';
import type { SliceFolder } from '../feed-lines/slice-folder.js';
import { createSyntheticFeeds } from '../feed-lines/synthetic-feeds.js';
import type { SandboxFeedOptions, SandboxKeyAccess } from '../sandbox-options.js';
import type { MarketSize } from '../simulation/market-event.js';
import type { SandboxExchange } from '../simulation/synthetic-exchanges.js';
import { isAuthorized, sendKeyRefusal } from './authorization.js';
import {
  parseTarget,
  type Route,
  route,
  type SandboxCall,
  sendSandboxError,
  sendSandboxJson,
  startResponse,
} from './sandbox-call.js';
import { FaultChooser, type FeedFault, toDayFileFault } from './sandbox-faults.js';
import { planBody, sendBody, sendFault } from './send-body.js';

const MAX_SYMBOLS = 50;
const MAX_MINUTES = 10;

export interface FeedsHostOptions extends MarketSize {
  readonly exchanges: readonly SandboxExchange[];
  readonly retryAfterSeconds: number;
  readonly feeds: SandboxFeedOptions;
  /** Access of the key; undefined for everything. */
  readonly keyAccess: readonly SandboxKeyAccess[] | undefined;
  /** Recorded slices to serve in place of synthetic ones. */
  readonly folder: SliceFolder | undefined;
}

/** A parsed request for a slice. */
interface SliceRequest {
  readonly exchange: string;
  /** Minutes since the epoch. */
  readonly start: number;
  readonly minutes: number;
  /** The filters as text, and parsed. */
  readonly filtersText: string;
  readonly filters: readonly LineFilter[];
  readonly compression: string;
}

/** zstd in `node:zlib` exists from Node 22.15 on; the types are those of Node 20. */
interface NativeZstd {
  readonly zstdCompressSync?: (
    bytes: Buffer,
    options: { params: Readonly<Record<number, number>> },
  ) => Buffer;
  readonly constants: { readonly ZSTD_c_checksumFlag?: number };
}

const { zstdCompressSync, constants } = zlib as NativeZstd;

/** Compresses a frame with a checksum, which detects a wrong byte; undefined if Node has no zstd. */
const compressZstd =
  zstdCompressSync &&
  ((bytes: Buffer): Buffer =>
    zstdCompressSync(bytes, { params: { [constants.ZSTD_c_checksumFlag ?? 0]: 1 } }));

/** The route `GET /v1/data-feeds/:exchange` (`docs/spec/raw-feeds-api.md#slice-request`). */
export function createFeedRoute(options: FeedsHostOptions): Route {
  const { seed, rows, exchanges, feeds, folder } = options;
  const { breaks = 0, requestLimit: limit = 3000, windowSeconds = 60 } = feeds;
  const faults = new FaultChooser<FeedFault>(feeds.faults ?? {}, seed, feeds.faultsPerSlice ?? Infinity);
  const countRequest = createRequestLimit(limit, windowSeconds);
  const synthetic = createSyntheticFeeds({ seed, rows, exchanges, breaks });
  const readMinute = async (
    { exchange, filters, filtersText }: SliceRequest,
    minute: number,
  ): Promise<string | undefined> =>
    folder ? folder.minute(exchange, filtersText, minute) : synthetic.minute(exchange, filters, minute);
  const context = { ...options, faults, countRequest, readMinute };
  return route('GET', '/v1/data-feeds/:exchange', (call, { exchange }) =>
    answerSlice(call, exchange, context),
  );
}

interface FeedContext extends FeedsHostOptions {
  readonly faults: FaultChooser<FeedFault>;
  readonly countRequest: ReturnType<typeof createRequestLimit>;
  readonly readMinute: (request: SliceRequest, minute: number) => Promise<string | undefined>;
}

async function answerSlice(call: SandboxCall, exchange: string, context: FeedContext): Promise<void> {
  const request = parseSliceRequest(parseTarget(call).searchParams, exchange);
  if (typeof request === 'string') return sendSandboxError(call, 400, 400, request);
  const { start, minutes } = request;
  for (const minute of [start, start + minutes - 1]) {
    if (!isAuthorized(call, msToDay(minute * 60_000))) return sendKeyRefusal(call);
    if (context.keyAccess && !isCovered(context.keyAccess, exchange, minute)) {
      return sendSandboxError(call, 403, 403, 'Your API key has no access to this data');
    }
  }
  const { isOver, headers: limits, resetSeconds } = context.countRequest();
  if (isOver) {
    const message = 'You are sending data feed requests too quickly';
    return sendSandboxJson(call, 429, { code: 429, message }, { ...limits, 'Retry-After': resetSeconds });
  }
  const fault = context.faults.next(call.request.url ?? '', () => true);
  const dayFileFault = toDayFileFault(fault);
  if (await sendFault(call, dayFileFault, context.retryAfterSeconds)) return;
  const sentMinutes = fault === 'short-slice' ? Math.max(1, minutes - 1) : minutes;
  const texts: string[] = [];
  for (let minute = start; minute < start + sentMinutes; minute++) {
    const text = await context.readMinute(request, minute);
    if (text === undefined) return sendSandboxError(call, 400, 140, `Data is not available: ${exchange}`);
    texts.push(text);
  }
  const isZstd = request.compression === 'zstd' && compressZstd !== undefined;
  const body = compress(applyTextFault(texts, fault), isZstd ? compressZstd : gzipSync);
  const content = createMemoryContent(body);
  const plan = planBody(dayFileFault, content.bytes);
  const headers = {
    ...limits,
    'Content-Type': 'application/json',
    'Content-Encoding': encodingName(isZstd, fault),
    'x-suggested-slice-size': context.feeds.suggestedMinutes ?? 5,
    'x-name': `${exchange}/${new Date(start * 60_000).toISOString().slice(0, 16).replace(/[-T:]/g, '/')}`,
    ...(fault === 'no-slice-size' ? {} : { 'x-slice-size': sentMinutes }),
    ...(plan.announced === undefined ? {} : { 'Content-Length': plan.announced }),
  };
  await startResponse(call, 200, headers, fault);
  await sendBody(call, content, 0, plan);
}

/** Whether the minute is free or the key covers it. A key for some symbols covers all of them here. */
function isCovered(access: readonly SandboxKeyAccess[], exchange: string, minute: number): boolean {
  const ms = minute * 60_000;
  return (
    isFirstDayOfMonth(msToDay(ms)) ||
    access.some(
      (entry) => entry.exchange === exchange && ms >= Date.parse(entry.from) && ms < Date.parse(entry.to),
    )
  );
}

/** One gzip member or zstd frame per minute, as in responses with several minutes. */
function compress(texts: readonly string[], compressPart: (bytes: Buffer) => Buffer): Buffer {
  return Buffer.concat(texts.map((text) => compressPart(Buffer.from(text))));
}

function applyTextFault(texts: readonly string[], fault: FeedFault | undefined): readonly string[] {
  if (fault === 'early') return [''];
  if (fault !== 'unterminated') return texts;
  return [`${texts.join('')}2024-03-01T00:00:00.0000000Z {"table":"trade","act`];
}

function encodingName(isZstd: boolean, fault: FeedFault | undefined): string {
  if (fault === 'wrong-encoding') return 'br';
  return isZstd === (fault !== 'other-encoding') ? 'zstd' : 'gzip';
}

/** Parses a request; returns the error message if it is invalid. */
function parseSliceRequest(query: URLSearchParams, exchange: string): SliceRequest | string {
  const from = parseFrom(query.get('from') ?? '');
  const offset = Number(query.get('offset') ?? '0');
  const minutes = Number(query.get('sliceSize') ?? '1');
  const filtersText = query.get('filters') ?? '[]';
  const filters = parseFilters(filtersText);
  if (from === undefined) return "'from' param is not an ISO 8601 format date";
  if (!Number.isInteger(offset) || offset < 0) return "'offset' param is not valid";
  if (!Number.isInteger(minutes) || minutes < 1 || minutes > MAX_MINUTES)
    return "'sliceSize' param is not valid";
  if (!filters) return "'filters' param is not valid";
  const start = from + offset;
  if ((start + minutes) * 60_000 > Date.now()) return 'Data is not available yet';
  return { exchange, start, minutes, filtersText, filters, compression: query.get('compression') ?? 'gzip' };
}

function parseFrom(text: string): number | undefined {
  const ms = /^\d{4}-\d{2}-\d{2}(T[\d:.]+Z)?$/.test(text) ? Date.parse(text) : Number.NaN;
  // The parser turns a day that does not exist, such as 2024-02-30, into another one.
  const isValidDay = !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text.slice(0, 10));
  return isValidDay ? Math.floor(ms / 60_000) : undefined;
}

function parseFilters(text: string): readonly LineFilter[] | undefined {
  try {
    const filters: unknown = JSON.parse(text);
    if (!Array.isArray(filters)) return undefined;
    return filters.every(
      ({ channel, symbols }: LineFilter) =>
        typeof channel === 'string' &&
        (!symbols || (Array.isArray(symbols) && symbols.length <= MAX_SYMBOLS)),
    )
      ? (filters as LineFilter[])
      : undefined;
  } catch {
    return undefined;
  }
}

/** State of the request limit after a request (`docs/spec/raw-feeds-api.md#request-rate`). */
export interface RequestLimitState {
  readonly isOver: boolean;
  readonly headers: Readonly<Record<string, number>>;
  readonly resetSeconds: number;
}

/** Counts requests per fixed time window. @returns a function to call for each request. */
function createRequestLimit(limit: number, windowSeconds: number): () => RequestLimitState {
  const windowMs = windowSeconds * 1000;
  let window = -1;
  let count = 0;
  return () => {
    const now = Date.now();
    const current = Math.floor(now / windowMs);
    if (current !== window) count = 0;
    window = current;
    count++;
    const resetSeconds = Math.max(1, Math.ceil(((current + 1) * windowMs - now) / 1000));
    const headers = {
      'x-ratelimit-limit': limit,
      'x-ratelimit-remaining': Math.max(0, limit - count),
      'x-ratelimit-reset-after': resetSeconds,
    };
    return { isOver: count > limit, headers, resetSeconds };
  };
}
