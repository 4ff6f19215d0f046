import type { RunEvent } from '../events/run-events.js';
import type { Message } from '../market/messages.js';
import { withContext } from '../operations/context.js';
import { COMMAND_OPTIONS } from '../options/command-options.js';
import { settingNameOf } from '../options/option-definition.js';
import { readCommandOptions } from '../options/read-options.js';
import type { RawReplayOptions, ReplayOptions } from './function-options.js';
import { type MessageSummary, startMessageRun } from './message-run.js';
import { OPTION_TABLES } from './option-tables.js';
import type { Run } from './start-run.js';

/** Summary of a replay. */
export type ReplaySummary = MessageSummary;

/** An exchange's own message, as returned by `JSON.parse` for a line. */
export interface RawMessage {
  /** Time of receipt: ISO 8601, UTC, seven decimals. */
  readonly localTimestamp: string;
  /** As the exchange sent it. */
  readonly message: unknown;
}

/** A disconnect from the exchange, which is an empty line. */
export interface RawDisconnect {
  readonly type: 'disconnect';
}

/** A parsed line; an empty line is a disconnect. */
type ReplayItem = Message | RawMessage | RawDisconnect;

/**
 * Replays an exchange's native messages of a period from the raw data API, like `tickhaul replay --channel`. A slow
 * reader slows the replay down.
 * @returns a promise of the summary, and an async iterable of the messages.
 */
export function replay(options: RawReplayOptions): Run<RawMessage | RawDisconnect, ReplaySummary>;
/**
 * Replays the normalized messages of a period, merged by local timestamp, like `tickhaul replay`. They come from day
 * files, missing ones of which are downloaded first, or with `source: 'feeds'` from the raw data API. A slow reader
 * slows the replay down.
 * @returns a promise of the summary, and an async iterable of the messages.
 */
export function replay(options: ReplayOptions): Run<Message, ReplaySummary>;
export function replay(options: ReplayOptions | RawReplayOptions): Run<ReplayItem, ReplaySummary> {
  const parse = (line: string): ReplayItem =>
    line === '' ? { type: 'disconnect' } : (JSON.parse(line) as ReplayItem);
  return startMessageRun(
    OPTION_TABLES.replay,
    options,
    parse,
    async ({ args, host, output, written, warn }) => {
      const { runReplay } = await import('../operations/replay-messages.js');
      const emit = (event: RunEvent): void => {
        if (event.event === 'warning') warn(event.message);
      };
      const values = readCommandOptions(COMMAND_OPTIONS.replay, args, settingNameOf);
      const paced = {
        async write(bytes: Uint8Array) {
          await output.write(bytes);
          host.signal.throwIfAborted();
        },
      };
      await withContext(values, host, { emit }, (context) =>
        runReplay(values, context, { onDownloaded() {}, output: paced, written }),
      );
    },
  );
}
