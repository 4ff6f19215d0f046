import { usageError } from '../../base/errors.js';
import type { FeedRequest } from '../../feeds/types.js';
import type { AskedPeriod } from '../../replay/period.js';
import type { Filter } from '../../service/feed-filter.js';
import type { Args } from '../arguments/args.js';
import { readList, readText } from '../arguments/read.js';
import { readPeriod, readReplayOptions, wholeMinutes } from '../selection/replay.js';

/** What is asked of one exchange, before its days are known. */
export interface AskedFeed extends Omit<FeedRequest, 'range'> {
  readonly period: AskedPeriod;
}

/** What `replay --channel` asks for. @throws usage error; `not_exported` for an end that is still to come. */
export async function readFeedRequest(args: Args, signal: AbortSignal): Promise<AskedFeed> {
  if (args['type'] !== undefined) {
    throw usageError(
      "--channel gives an exchange's own messages, and --type normalized ones; give one of them",
    );
  }
  if (readText(args, 'source') === 'datasets') {
    throw usageError(
      '--source datasets has no channels: day files are normalized; leave it out, or name --type',
    );
  }
  const [option, ...others] = await readReplayOptions(args, signal);
  if (!option || others.length > 0) {
    throw usageError('--channel is for one exchange: messages of several have no common form');
  }
  const period = wholeMinutes(readPeriod(args));
  return { exchange: option.exchange, filters: readFilters(args, option.symbols), period };
}

function readFilters(args: Args, asked: readonly string[] | undefined): readonly Filter[] {
  const channels = readList(args, 'channel') ?? [];
  const symbols = asked?.includes('all') ? undefined : asked;
  if (!channels.includes('all')) return channels.map((channel) => ({ channel, ...(symbols && { symbols }) }));
  if (symbols)
    throw usageError('--channel all is everything of an exchange: name channels to choose symbols');
  return [];
}
