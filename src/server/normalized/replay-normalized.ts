import type { MergeOptions } from '../../replay/replay.js';
import type { NormalizedOptions } from '../request/normalized-options.js';
import type { Serving } from '../serving.js';
import { replayDayFiles } from './day-files.js';
import { replayFromFeeds } from './feeds.js';

/**
 * Writes the normalized messages of several options, merged by local timestamp; ties go to the option named first.
 * @throws TickhaulError, before the first line, for what can't be had at all; later as `mergeLines`.
 */
export async function replayNormalized(
  serving: Serving,
  options: readonly NormalizedOptions[],
  target: Omit<MergeOptions, 'speed'>,
): Promise<void> {
  const wanted = options.filter(({ period }) => period.start < period.end);
  if (wanted.length === 0) return;
  const from = serving.options.source === 'datasets' ? replayDayFiles : replayFromFeeds;
  await from(serving, wanted, { ...target, output: serving.turns.wrap(target.output) });
}
