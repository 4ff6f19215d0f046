import type { Message } from '../market/messages.js';
import type { RawDisconnect, RawMessage } from '../replay/raw/raw-message.js';
import type { RawReplayOptions, ReplayOptions } from './message-options.js';
import { type MessageSummary, startMessageRun } from './message-run.js';
import { REPLAY_OPTIONS } from './option-tables.js';
import type { Run } from './start-run.js';

/** What a replay came to. */
export type ReplaySummary = MessageSummary;

/** What a line is; an empty one is a disconnect. */
type Told = Message | RawMessage | RawDisconnect;

/**
 * An exchange's own messages of a period, from the raw data API: `tickhaul replay --channel`. A slow reader slows the
 * replay.
 * @returns a promise of the summary, and an async iterable of the messages.
 */
export function replay(options: RawReplayOptions): Run<RawMessage | RawDisconnect, ReplaySummary>;
/**
 * The normalized messages of a period, merged by local timestamp: `tickhaul replay`. From day files, those that are
 * missing downloaded on the way, or by `source: 'feeds'` from the raw data API. A slow reader slows the replay.
 * @returns a promise of the summary, and an async iterable of the messages.
 */
export function replay(options: ReplayOptions): Run<Message, ReplaySummary>;
export function replay(options: ReplayOptions | RawReplayOptions): Run<Told, ReplaySummary> {
  const parse = (line: string): Told => (line === '' ? { type: 'disconnect' } : (JSON.parse(line) as Told));
  return startMessageRun(REPLAY_OPTIONS, options, parse, async ({ args, host, output, written, warn }) => {
    const { prepareReplay } = await import('../commands/prepare-replay.js');
    const run = await prepareReplay(args, host);
    await run({
      emit(event) {
        if (event.event === 'warning') warn(event.message);
      },
      onDownloaded() {},
      output: {
        async write(bytes) {
          await output.write(bytes);
          host.signal.throwIfAborted();
        },
      },
      written,
    });
  });
}
