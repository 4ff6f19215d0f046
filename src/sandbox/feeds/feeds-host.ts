import { setTimeout as sleep } from 'node:timers/promises';
import zlib, { gzipSync } from 'node:zlib';
import { isFirstDayOfMonth, msToDay } from '../../dataset/day.js';
import { createMemoryContent } from '../archive/gzip-content.js';
import { isAuthorized, sendKeyRefusal } from '../hosts/authorization.js';
import { isErrorFault, sendErrorFault } from '../hosts/error-faults.js';
import type { SandboxKeyAccess } from '../hosts/sandbox-key-access.js';
import { FaultChooser } from '../http/sandbox-faults.js';
import {
  parseTarget,
  type SandboxCall,
  sendSandboxError,
  sendSandboxJson,
  sendText,
  startResponse,
} from '../http/sandbox-call.js';
import { planBody, sendBody } from '../http/send-body.js';
import type { SandboxExchange } from '../market/synthetic-exchanges.js';
import type { MarketSize } from '../market/market-size.js';
import { type FeedFault, toDayFileFault } from './feed-faults.js';
import type { LineFilter } from './feed-line.js';
import { createRequestLimit } from './request-limit.js';
import type { SandboxFeedOptions } from './sandbox-feed-options.js';
import type { SliceFolder } from './slice-folder.js';
import { createSyntheticFeeds } from './synthetic-feeds.js';

const SLOW_START_MS = 1000;
const MAX_SYMBOLS = 50;
const MAX_MINUTES = 10;

export interface FeedsHostOptions extends MarketSize {
  readonly exchanges: readonly SandboxExchange[];
  readonly retryAfterSeconds: number;
  readonly feeds: SandboxFeedOptions;
  /** What the key may read; undefined for everything. */
  readonly keyAccess: readonly SandboxKeyAccess[] | undefined;
  /** Serves these slices in place of made-up ones. */
  readonly folder: SliceFolder | undefined;
}

/** What a request is about. */
interface SliceRequest {
  readonly exchange: string;
  /** Minutes since the epoch. */
  readonly start: number;
  readonly minutes: number;
  /** As it was sent, and read. */
  readonly filtersText: string;
  readonly filters: readonly LineFilter[];
  readonly compression: string;
}

/** Node has zstd of its own from 22.15; the types are those of Node 20. */
interface NativeZstd {
  readonly zstdCompressSync?: (
    bytes: Buffer,
    options: { params: Readonly<Record<number, number>> },
  ) => Buffer;
  readonly constants: { readonly ZSTD_c_checksumFlag?: number };
}

const { zstdCompressSync, constants } = zlib as NativeZstd;

/** Makes a frame with a checksum, without which a wrong byte may go unnoticed; undefined where Node has no zstd. */
const compressZstd =
  zstdCompressSync &&
  ((bytes: Buffer): Buffer =>
    zstdCompressSync(bytes, { params: { [constants.ZSTD_c_checksumFlag ?? 0]: 1 } }));

/** `GET /v1/data-feeds/:exchange` (service interface, Raw data replay API); undefined for any other path. */
export function createFeedsHost(options: FeedsHostOptions): (call: SandboxCall) => Promise<void> | undefined {
  const { seed, rows, exchanges, feeds, folder } = options;
  const { breaks = 0, requestLimit: limit = 3000, windowSeconds = 60 } = feeds;
  const faults = new FaultChooser<FeedFault>(feeds.faults ?? {}, seed, feeds.faultsPerSlice ?? Infinity);
  const count = createRequestLimit(limit, windowSeconds);
  const madeUp = createSyntheticFeeds({ seed, rows, exchanges, breaks });
  const textOf = async (
    { exchange, filters, filtersText }: SliceRequest,
    minute: number,
  ): Promise<string | undefined> =>
    folder ? folder.minute(exchange, filtersText, minute) : madeUp.minute(exchange, filters, minute);
  return (call) => {
    const exchange = /^\/v1\/data-feeds\/([^/]+)$/.exec(parseTarget(call).pathname)?.[1];
    return exchange === undefined ? undefined : answerSlice(call, exchange, { ...options, faults, count, textOf });
  };
}

interface FeedContext extends FeedsHostOptions {
  readonly faults: FaultChooser<FeedFault>;
  readonly count: ReturnType<typeof createRequestLimit>;
  readonly textOf: (wanted: SliceRequest, minute: number) => Promise<string | undefined>;
}

async function answerSlice(call: SandboxCall, exchange: string, serving: FeedContext): Promise<void> {
  const wanted = parseSliceRequest(parseTarget(call).searchParams, exchange);
  if (typeof wanted === 'string') return sendSandboxError(call, 400, 400, wanted);
  const { start, minutes } = wanted;
  for (const minute of [start, start + minutes - 1]) {
    if (!isAuthorized(call, msToDay(minute * 60_000))) return sendKeyRefusal(call);
    if (serving.keyAccess && !isCovered(serving.keyAccess, exchange, minute)) {
      return sendSandboxError(call, 403, 403, 'Your API key has no access to this data');
    }
  }
  const { isOver, headers: limits, resetSeconds } = serving.count();
  if (isOver) {
    const message = 'You are sending data feed requests too quickly';
    return sendSandboxJson(call, 429, { code: 429, message }, { ...limits, 'Retry-After': resetSeconds });
  }
  const fault = serving.faults.next(call.request.url ?? '', () => true);
  const plain = toDayFileFault(fault);
  if (plain && isErrorFault(plain)) return sendErrorFault(call, plain, serving.retryAfterSeconds);
  if (fault === 'slow-start') await sleep(SLOW_START_MS, undefined, { signal: call.settings.signal });
  if (fault === 'html') {
    return sendText(call, 200, 'text/html', '<!doctype html><title>Please sign in</title>', {}, fault);
  }
  const given = fault === 'short-slice' ? Math.max(1, minutes - 1) : minutes;
  const texts: string[] = [];
  for (let minute = start; minute < start + given; minute++) {
    const text = await serving.textOf(wanted, minute);
    if (text === undefined) return sendSandboxError(call, 400, 140, `Data is not available: ${exchange}`);
    texts.push(text);
  }
  const isZstd = wanted.compression === 'zstd' && compressZstd !== undefined;
  const body = compress(applyTextFault(texts, fault), isZstd ? compressZstd : gzipSync);
  const content = createMemoryContent(body);
  const plan = planBody(plain, content.bytes);
  const headers = {
    ...limits,
    'Content-Type': 'application/json',
    'Content-Encoding': encodingName(isZstd, fault),
    'x-suggested-slice-size': serving.feeds.suggestedMinutes ?? 5,
    'x-name': `${exchange}/${new Date(start * 60_000).toISOString().slice(0, 16).replace(/[-T:]/g, '/')}`,
    ...(fault === 'no-slice-size' ? {} : { 'x-slice-size': given }),
    ...(plan.announced === undefined ? {} : { 'Content-Length': plan.announced }),
  };
  await startResponse(call, 200, headers, fault);
  await sendBody(call, content, 0, plan);
}

/** Whether everybody may read the minute, or the key covers it; a key for some symbols covers all of them here. */
function isCovered(access: readonly SandboxKeyAccess[], exchange: string, minute: number): boolean {
  const ms = minute * 60_000;
  return (
    isFirstDayOfMonth(msToDay(ms)) ||
    access.some((one) => one.exchange === exchange && ms >= Date.parse(one.from) && ms < Date.parse(one.to))
  );
}

/** A member or frame a minute, as answers of several minutes have them. */
function compress(texts: readonly string[], pack: (bytes: Buffer) => Buffer): Buffer {
  return Buffer.concat(texts.map((text) => pack(Buffer.from(text))));
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

/** What a request is about, or what is wrong with it. */
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
  // Of a day that no calendar has, as 2024-02-30, the parser makes another.
  const isRight = !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text.slice(0, 10));
  return isRight ? Math.floor(ms / 60_000) : undefined;
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
