import { usageError } from '../../base/errors.js';
import type { FeedRequest } from '../../feeds/feed-run.js';
import type { RequestedPeriod } from '../../replay/parse-period.js';
import type { FeedFilter } from '../../service/feed-filter.js';
import type { CommandArgs } from '../arguments/command-args.js';
import { readListFlag, readTextFlag } from '../arguments/read-arguments.js';
import { readPeriodFlags, readReplayOptions, toWholeMinutes } from '../selection/read-replay-request.js';

/** What is asked of one exchange, before its days are known. */
export interface AskedFeed extends Omit<FeedRequest, 'range'> {
  readonly period: RequestedPeriod;
}

/** What `replay --channel` asks for. @throws usage error; `not_exported` for an end that is still to come. */
export async function readFeedRequest(args: CommandArgs, signal: AbortSignal): Promise<AskedFeed> {
  if (args['type'] !== undefined) {
    throw usageError(
      "--channel gives an exchange's own messages, and --type normalized ones; give one of them",
    );
  }
  if (readTextFlag(args, 'source') === 'datasets') {
    throw usageError(
      '--source datasets has no channels: day files are normalized; leave it out, or name --type',
    );
  }
  const [option, ...others] = await readReplayOptions(args, signal);
  if (!option || others.length > 0) {
    throw usageError('--channel is for one exchange: messages of several have no common form');
  }
  const period = toWholeMinutes(readPeriodFlags(args));
  return { exchange: option.exchange, filters: readFilters(args, option.symbols), period };
}

function readFilters(args: CommandArgs, asked: readonly string[] | undefined): readonly FeedFilter[] {
  const channels = readListFlag(args, 'channel') ?? [];
  const symbols = asked?.includes('all') ? undefined : asked;
  if (!channels.includes('all')) return channels.map((channel) => ({ channel, ...(symbols && { symbols }) }));
  if (symbols)
    throw usageError('--channel all is everything of an exchange: name channels to choose symbols');
  return [];
}
