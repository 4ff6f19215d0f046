import { usageError } from '../../base/errors.js';
import type { FeedRequest } from '../../raw-feeds/feed-run.js';
import type { RequestedPeriod } from '../../replay/replay-request.js';
import type { FeedFilter } from '../../service/feed-filter.js';
import type { CommandArgs } from '../arguments/command-args.js';
import { readListFlag, readTextFlag } from '../arguments/read-arguments.js';
import { readPeriodFlags, readReplayOptions, toWholeMinutes } from '../selection/read-replay-request.js';
import { expandSymbolLists } from '../selection/read-selection.js';

/** Request for the raw data of one exchange; its period may depend on the exported days. */
export interface AskedFeed extends Omit<FeedRequest, 'range'> {
  readonly period: RequestedPeriod;
}

/** Reads the request of `replay --channel`. @throws usage error; `not_exported` for an end in the future. */
export async function readFeedRequest(args: CommandArgs, signal: AbortSignal): Promise<AskedFeed> {
  if (args['type'] !== undefined) {
    throw usageError('--channel selects native messages, and --type normalized ones; use only one of them');
  }
  if (readTextFlag(args, 'source') === 'datasets') {
    throw usageError('--source datasets: day files have no channels; omit it, or use --type');
  }
  const [option, ...others] = await readReplayOptions(args, signal);
  if (!option || others.length > 0) {
    throw usageError(
      '--channel: native messages of several exchanges have no common format; specify one exchange',
    );
  }
  const period = toWholeMinutes(readPeriodFlags(args));
  return {
    exchange: option.exchange,
    filters: readFilters(args, option.symbols && expandSymbolLists(option.symbols)),
    period,
  };
}

function readFilters(args: CommandArgs, givenSymbols: readonly string[] | undefined): readonly FeedFilter[] {
  const channels = readListFlag(args, 'channel') ?? [];
  const symbols = givenSymbols?.includes('all') ? undefined : givenSymbols;
  if (!channels.includes('all')) return channels.map((channel) => ({ channel, ...(symbols && { symbols }) }));
  if (symbols) throw usageError('--channel all: it includes all symbols; list channels to select symbols');
  return [];
}
