import { readdir } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { TickhaulError } from '../../src/base/errors.js';
import { parseDay } from '../../src/day-files/day.js';
import type { RunEvent } from '../../src/events/run-events.js';
import type { LineSink } from '../../src/market/lines/line-buffer.js';
import {
  createFeedReadContext,
  type FeedReadContext,
  type FeedReadOptions,
} from '../../src/raw-feeds/feed-read-context.js';
import { openFeed } from '../../src/raw-feeds/open-feed.js';
import { replayRaw } from '../../src/replay/replay-raw.js';
import type { Sandbox } from '../../src/sandbox/sandbox-options.js';
import type { FeedFilter } from '../../src/service/feed-filter.js';
import { createServiceClient } from '../../src/service/service-client.js';

/** Midnight of a day that needs no key, in minutes. */
export const START = parseDay('2024-03-01') * 1440;

export interface ReplayInput extends Partial<FeedReadOptions> {
  readonly exchange?: string;
  readonly filters?: readonly FeedFilter[];
  /** Minutes from `START`. */
  readonly from?: number;
  readonly to?: number;
  readonly apiKey?: string | undefined;
  readonly stallTimeoutMs?: number;
  readonly withDisconnects?: boolean;
  readonly onMinutes?: (minutes: number) => void;
}

export interface ReplayResult {
  /** All written output. */
  readonly text: string;
  readonly messages: number;
  readonly error: TickhaulError | undefined;
  readonly events: readonly RunEvent[];
  readonly warnings: readonly string[];
}

/** Settings of a replay, besides its request. */
export interface RunContext {
  readonly run: FeedReadContext;
  readonly output: LineSink;
  readonly written: { messages: number; bytes: number };
  readonly onMinutes: (minutes: number) => void;
  readonly signal: AbortSignal;
}

/** A raw replay in this process, by the functions behind the command. */
export function replayInProcess(
  service: Sandbox,
  cacheFolder: string,
  input: ReplayInput = {},
): Promise<ReplayResult> {
  const { exchange = 'bitmex', filters = [{ channel: 'trade' }], from = 0, to = 30 } = input;
  return runReplayInProcess(service, cacheFolder, input, async (here, records) => {
    const range = { start: START + from, end: START + to };
    const feed = await openFeed(here.run, { exchange, filters, range }, records);
    await replayRaw({ ...here, feed, withDisconnects: input.withDisconnects ?? false });
  });
}

/** A run in this process, and its result. @param work called with the folder of records, too. */
export async function runReplayInProcess(
  service: Sandbox,
  cacheFolder: string,
  input: ReplayInput,
  work: (here: RunContext, records: string) => Promise<void>,
): Promise<ReplayResult> {
  const events: RunEvent[] = [];
  const client = createServiceClient({
    apiUrl: service.apiUrl,
    datasetsUrl: service.datasetsUrl,
    apiKey: 'apiKey' in input ? input.apiKey : service.apiKey,
    stallTimeoutMs: input.stallTimeoutMs ?? 60_000,
    env: {},
  });
  const written = { messages: 0, bytes: 0 };
  const chunks: Buffer[] = [];
  let error: TickhaulError | undefined;
  try {
    const run = createFeedReadContext({
      cacheLimit: undefined,
      offline: false,
      concurrency: 'auto',
      retries: 3,
      maxWaitMs: 5000,
      // As on many processors.
      maxOpenAhead: 4,
      signal: new AbortController().signal,
      ...input,
      client,
      cacheFolder,
      emit: (event) => void events.push(event),
    });
    const here = {
      run,
      output: { write: async (bytes: Uint8Array) => void chunks.push(Buffer.from(bytes)) },
      written,
      onMinutes: input.onMinutes ?? (() => {}),
      signal: run.signal,
    };
    await work(here, join(cacheFolder, 'records'));
  } catch (thrown) {
    if (!(thrown instanceof TickhaulError)) throw thrown;
    error = thrown;
  } finally {
    await client.close();
  }
  const warnings = events.flatMap((event) => (event.event === 'warning' ? [event.message] : []));
  return { text: Buffer.concat(chunks).toString(), messages: written.messages, error, events, warnings };
}

/** Answered slice requests. */
export function countSliceRequests({ requests }: Sandbox): number {
  return requests.filter(({ url }) => url.startsWith('/v1/data-feeds/')).length;
}

/** All files below the cache's `feeds`, with `/`. */
export async function listCachedFiles(cacheFolder: string): Promise<readonly string[]> {
  const feeds = join(cacheFolder, 'feeds');
  const entries = await readdir(feeds, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(feeds.length + 1)
        .split(sep)
        .join('/'),
    )
    .sort();
}

/** The minutes from `START` of some lines, in the order of their first occurrence. */
export function listMinutes(text: string): readonly number[] {
  const times = text.split('\n').flatMap((line) => /"localTimestamp":"(.{16})/.exec(line)?.[1] ?? []);
  return [...new Set(times)].map((time) => Date.parse(`${time}:00Z`) / 60_000 - START);
}

/** Throws unless all lines are whole and in order. */
export function assertWholeLines(text: string): void {
  let last = '';
  if (text !== '' && !text.endsWith('\n')) throw new Error(`half a line: ${text.slice(-80)}`);
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const { localTimestamp, message } = JSON.parse(line) as { localTimestamp: string; message: object };
    if (typeof message !== 'object') throw new Error(`no message: ${line}`);
    if (localTimestamp < last) throw new Error(`${localTimestamp} comes after ${last}`);
    last = localTimestamp;
  }
}
