import type { MergeOptions } from '../../replay/replay-series.js';
import type { NormalizedOptions } from '../request/normalized-options.js';
import type { ServerContext } from '../server-context.js';
import { replayNormalizedFromDayFiles } from './replay-from-day-files.js';
import { replayNormalizedFromFeeds } from './replay-from-feeds.js';

/**
 * Writes the normalized messages of several options, merged by local timestamp; ties go to the option named first.
 * @throws TickhaulError, before the first line, for what can't be had at all; later as `mergeLines`.
 */
export async function replayNormalized(
  serving: ServerContext,
  options: readonly NormalizedOptions[],
  target: Omit<MergeOptions, 'speed'>,
): Promise<void> {
  const wanted = options.filter(({ period }) => period.start < period.end);
  if (wanted.length === 0) return;
  const from =
    serving.options.source === 'datasets' ? replayNormalizedFromDayFiles : replayNormalizedFromFeeds;
  await from(serving, wanted, { ...target, output: serving.turns.wrap(target.output) });
}
