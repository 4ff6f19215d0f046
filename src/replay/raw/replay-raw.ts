import type { Feed } from '../../feeds/open.js';
import type { LineSink, Written } from '../../market/lines/line-sink.js';
import { mergeRaw, type RawMergeInput } from './merge-raw.js';
import { RawLines } from './raw-lines.js';

export interface RawReplayInput extends Omit<RawMergeInput, 'parts' | 'lines'> {
  readonly feed: Feed;
  readonly output: LineSink;
  readonly written: Written;
}

/**
 * Writes an exchange's own messages, in the order in which they were received; each break of the collector's
 * connection is an empty line, where that is wanted.
 * @throws TickhaulError as `mergeRaw`.
 */
export function replayRaw({ feed, output, written, ...input }: RawReplayInput): Promise<void> {
  const lines = new RawLines(output, written, input.run.writeBytes);
  return mergeRaw({ ...input, parts: feed.parts, lines });
}
