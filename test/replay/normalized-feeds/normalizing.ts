import assert from 'node:assert/strict';
import { US_PER_MINUTE } from '../../../src/day-files/day.js';
import { FeedLines } from '../../../src/exchange-adapters/feed-lines.js';
import { planFeed } from '../../../src/exchange-adapters/feed-plan.js';
import { LineBuffer } from '../../../src/market/lines/line-buffer.js';
import { parseMessageType } from '../../../src/market/message-type-name.js';
import { type FeedSource, openFeedSources } from '../../../src/replay/normalized-feeds/open-feed-sources.js';
import { replayFeeds } from '../../../src/replay/normalized-feeds/replay-feeds.js';
import type { Sandbox } from '../../../src/sandbox/sandbox-options.js';
import {
  type ReplayInput,
  type ReplayResult,
  replayInProcess,
  runReplayInProcess,
  START,
} from '../../raw-feeds/replaying.js';

/** Types of BitMEX, including computed ones. */
export const ALL = 'trade,book_change,derivative_ticker,liquidation,quote,trade_bar_10s,book_snapshot_3_1s';

export interface NormalizeInput extends ReplayInput {
  /** Exchanges, each with optional symbols after a colon; bitmex by default. */
  readonly exchanges?: readonly string[];
  /** Comma-separated; trades by default. */
  readonly types?: string;
  /** Number of threads, independent of the processors. */
  readonly processors?: number;
}

export function toSources(input: NormalizeInput): readonly FeedSource[] {
  const { exchanges = ['bitmex'], types = 'trade', from = 0, to = 30, withDisconnects = false } = input;
  return exchanges.map((text) => {
    const [exchange = '', symbols] = text.split(':');
    return {
      exchange,
      symbols: symbols?.split(','),
      types: types.split(',').map(parseMessageType),
      period: { start: (START + from) * US_PER_MINUTE, end: (START + to) * US_PER_MINUTE },
      withDisconnects,
    };
  });
}

/** A replay of normalized messages in this process, by the functions behind the command. */
export function normalizeInProcess(
  service: Sandbox,
  cacheFolder: string,
  input: NormalizeInput = {},
): Promise<ReplayResult> {
  return runReplayInProcess(service, cacheFolder, input, async (here, records) => {
    const sources = await openFeedSources(here.run, toSources(input), records);
    await replayFeeds({ ...here, sources, processors: input.processors });
  });
}

/** Normalizes the raw messages of one exchange one by one; for periods in which its API does not change. */
export async function normalizeOneByOne(
  service: Sandbox,
  cacheFolder: string,
  input: NormalizeInput = {},
): Promise<string> {
  const [source] = toSources(input) as [FeedSource];
  const plan = await planFeed(source);
  const filters = plan.segments.flatMap((segment) => segment.filters);
  const { exchange } = source;
  const raw = await replayInProcess(service, cacheFolder, {
    ...input,
    exchange,
    filters,
    withDisconnects: true,
  });
  if (raw.error) throw raw.error;
  const lines = new FeedLines({ ...source, plan });
  const out = new LineBuffer();
  for (const line of raw.text.split('\n').slice(0, -1)) {
    const [, localTimestamp = '', message = ''] =
      /^\{"localTimestamp":"(.{28})","message":(.*)\}$/.exec(line) ?? [];
    if (line === '') lines.addDisconnect(out);
    else lines.addMessage(localTimestamp, message, out);
  }
  return Buffer.from(out.bytes.subarray(0, out.length)).toString();
}

/** Fields of a message that tests check. */
export interface Line {
  readonly type: string;
  readonly price?: number;
  readonly exchange: string;
  readonly localTimestamp: string;
}

/** The written messages; none is incomplete. */
export function parseLines({ text }: ReplayResult): readonly Line[] {
  assert.ok(text === '' || text.endsWith('\n'), 'half a line');
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);
}
