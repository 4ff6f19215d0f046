import type { OpenedFeed } from '../../feeds/open-feed.js';
import type { LineSink, WrittenCounts } from '../../market/lines/line-sink.js';
import { mergeRaw, type RawMergeInput } from './merge-raw.js';
import { RawLineWriter } from './raw-line-writer.js';

export interface RawReplayInput extends Omit<RawMergeInput, 'parts' | 'lines'> {
  readonly feed: OpenedFeed;
  readonly output: LineSink;
  readonly written: WrittenCounts;
}

/**
 * Writes an exchange's own messages in the order of their receipt, and an empty line for each disconnect if
 * requested.
 * @throws TickhaulError as `mergeRaw`.
 */
export function replayRaw({ feed, output, written, ...input }: RawReplayInput): Promise<void> {
  const lines = new RawLineWriter(output, written, input.run.writeBytes);
  return mergeRaw({ ...input, parts: feed.parts, lines });
}
