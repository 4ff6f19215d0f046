import { abortReason } from '../base/errors.js';
import type { FileError } from '../base/file-error.js';
import { secondsSince } from '../base/units.js';
import type { Message } from '../market/messages.js';
import type { RawDisconnect, RawMessage } from '../replay/raw/raw-message.js';
import { describeFailure } from '../run/failure.js';
import { argsOf, inOptions } from './arguments.js';
import { TickhaulError } from './error.js';
import { signalOf } from './event-run.js';
import type { Feed } from './feed.js';
import { libraryHost } from './host.js';
import type { RawReplayOptions, ReplayOptions } from './options.js';
import { plainly } from './plainly.js';
import { begin, causeOf, type Run } from './run.js';
import { REPLAY } from './tables.js';

/** What a replay came to. */
export interface ReplaySummary {
  readonly event: 'summary';
  readonly exitCode: number;
  readonly messages: number;
  /** Of their lines. */
  readonly bytes: number;
  readonly seconds: number;
  /** What was left out, in words. */
  readonly warnings?: readonly string[] | undefined;
  readonly error?: FileError | undefined;
}

/** What a line is; an empty one is a disconnect. */
type Told = Message | RawMessage | RawDisconnect;

/**
 * An exchange's own messages of a period, from the raw data API: `tickhaul replay --channel`. A slow reader slows the
 * replay.
 * @returns a promise of the summary, and an async iterable of the messages.
 */
export function replay(options: RawReplayOptions): Run<RawMessage | RawDisconnect, ReplaySummary>;
/**
 * The normalized messages of a period, merged by local timestamp, from day files; those that are missing are downloaded
 * first: `tickhaul replay`. A slow reader slows the replay.
 * @returns a promise of the summary, and an async iterable of the messages.
 */
export function replay(options: ReplayOptions): Run<Message, ReplaySummary>;
export function replay(options: ReplayOptions | RawReplayOptions): Run<Told, ReplaySummary> {
  return begin(signalOf(options), async (feed: Feed<Told>, signal) => {
    const began = performance.now();
    const written = { messages: 0, bytes: 0 };
    const warnings: string[] = [];
    const summaryOf = (exitCode: number, error?: FileError): ReplaySummary =>
      plainly({
        event: 'summary',
        exitCode,
        ...written,
        seconds: secondsSince(began),
        ...(warnings.length > 0 && { warnings }),
        error,
      });
    try {
      const args = argsOf(REPLAY, options);
      const { prepareReplay } = await import('../commands/replay.js');
      const run = await prepareReplay(
        args,
        libraryHost(signal, (message) => warnings.push(message)),
      );
      await run({
        emit(event) {
          if (event.event === 'warning') warnings.push(event.message);
        },
        onDownloaded() {},
        output: {
          async write(bytes) {
            await feed.send(messagesOf(bytes));
            signal.throwIfAborted();
          },
        },
        written,
      });
      return summaryOf(0);
    } catch (thrown) {
      const { exitCode, error } = describeFailure(
        signal.aborted ? abortReason(signal) : inOptions(thrown, REPLAY),
      );
      throw new TickhaulError(error, summaryOf(exitCode, error), causeOf(thrown));
    }
  });
}

const NEWLINE = 0x0a;

/** The messages of whole lines. */
function* messagesOf(lines: Uint8Array): Generator<Told> {
  const bytes = Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength);
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(NEWLINE, start);
    yield end === start ? { type: 'disconnect' } : (JSON.parse(bytes.toString('utf8', start, end)) as Told);
    start = end + 1;
  }
}
