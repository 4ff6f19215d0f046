import type { MergeOptions } from '../../replay/replay-series.js';
import type { NormalizedOptions } from '../request/normalized-options.js';
import type { ServerContext } from '../server-context.js';
import { replayNormalizedFromDayFiles } from './replay-from-day-files.js';
import { replayNormalizedFromFeeds } from './replay-from-feeds.js';

/**
 * Writes the normalized messages of several options, merged by local timestamp; ties go to the earlier option.
 * @throws TickhaulError before the first line if the data are not available; later as `mergeLines`.
 */
export async function replayNormalized(
  context: ServerContext,
  options: readonly NormalizedOptions[],
  target: Omit<MergeOptions, 'speed'>,
): Promise<void> {
  const nonEmpty = options.filter(({ period }) => period.start < period.end);
  if (nonEmpty.length === 0) return;
  const replay =
    context.options.source === 'datasets' ? replayNormalizedFromDayFiles : replayNormalizedFromFeeds;
  await replay(context, nonEmpty, { ...target, output: context.pacer.pace(target.output) });
}
