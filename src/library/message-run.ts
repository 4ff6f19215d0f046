import { abortReason } from '../base/errors.js';
import type { FileError } from '../base/file-error.js';
import { ReaderGone } from '../base/output-sink.js';
import { secondsSince } from '../base/units.js';
import type { Args } from '../commands/arguments/args.js';
import type { Host } from '../commands/host.js';
import type { LineSink, Written } from '../market/lines/line-sink.js';
import { describeFailure } from '../run/failure.js';
import { argsOf, inOptions, type OptionTable } from './arguments.js';
import { TickhaulError } from './error.js';
import { signalOf } from './event-run.js';
import type { Feed } from './feed.js';
import { libraryHost } from './host.js';
import { plainly } from './plainly.js';
import { begin, causeOf, type Run } from './run.js';

/** What a run of messages came to. */
export interface MessageSummary {
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

/** What such a run works with: its options as arguments, and where lines and warnings go. */
export interface MessageCall {
  readonly args: Args;
  readonly host: Host;
  /** Resolves when the reader has taken all messages of the lines. */
  readonly output: LineSink;
  /** Counted up by the work. */
  readonly written: Written;
  readonly warn: (message: string) => void;
}

/**
 * Begins a run that tells messages.
 * @param parse makes the message of a line, without its end.
 * @param work reads the options by the readers of the flags, and does what the command does.
 */
export function beginMessages<Told>(
  table: OptionTable,
  options: unknown,
  parse: (line: string) => Told,
  work: (call: MessageCall) => Promise<void>,
): Run<Told, MessageSummary> {
  return begin(signalOf(options), async (feed: Feed<Told>, signal) => {
    const began = performance.now();
    const written = { messages: 0, bytes: 0 };
    const warnings: string[] = [];
    const warn = (message: string): void => void warnings.push(message);
    const summaryOf = (exitCode: number, error?: FileError): MessageSummary =>
      plainly({
        event: 'summary',
        exitCode,
        ...written,
        seconds: secondsSince(began),
        ...(warnings.length > 0 && { warnings }),
        error,
      });
    try {
      const args = argsOf(table, options);
      const output: LineSink = { write: (bytes) => feed.send(messagesOf(bytes, parse)) };
      await work({ args, host: libraryHost(signal, warn), output, written, warn });
      return summaryOf(0);
    } catch (thrown) {
      if (thrown instanceof ReaderGone) return summaryOf(0);
      const { exitCode, error } = describeFailure(
        signal.aborted ? abortReason(signal) : inOptions(thrown, table),
      );
      throw new TickhaulError(error, summaryOf(exitCode, error), causeOf(thrown));
    }
  });
}

const NEWLINE = 0x0a;

/** The messages of whole lines. */
function* messagesOf<Told>(lines: Uint8Array, parse: (line: string) => Told): Generator<Told> {
  const bytes = Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength);
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(NEWLINE, start);
    yield parse(bytes.toString('utf8', start, end));
    start = end + 1;
  }
}
