import { abortReason } from '../base/errors.js';
import type { FileError } from '../base/file-error.js';
import { ReaderClosedError } from '../base/output-sink.js';
import { secondsSince } from '../base/units.js';
import type { CommandArgs } from '../commands/arguments/command-args.js';
import type { CommandHost } from '../commands/command-host.js';
import type { LineSink, WrittenCounts } from '../market/lines/line-sink.js';
import { toRunFailure } from '../run/run-failure.js';
import type { EventQueue } from './event-queue.js';
import { findSignal } from './event-run.js';
import { TickhaulError } from './library-error.js';
import { createLibraryHost } from './library-host.js';
import { flagsToOptionsInError, type OptionTable, optionsToArgs } from './options-to-args.js';
import { findCause, type Run, startRun } from './start-run.js';
import { toJsonValue } from './to-json-value.js';

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
  readonly args: CommandArgs;
  readonly host: CommandHost;
  /** Resolves when the reader has taken all messages of the lines. */
  readonly output: LineSink;
  /** Counted up by the work. */
  readonly written: WrittenCounts;
  readonly warn: (message: string) => void;
}

/**
 * Begins a run that tells messages.
 * @param parse makes the message of a line, without its end.
 * @param work reads the options by the readers of the flags, and does what the command does.
 */
export function startMessageRun<Told>(
  table: OptionTable,
  options: unknown,
  parse: (line: string) => Told,
  work: (call: MessageCall) => Promise<void>,
): Run<Told, MessageSummary> {
  return startRun(findSignal(options), async (feed: EventQueue<Told>, signal) => {
    const began = performance.now();
    const written = { messages: 0, bytes: 0 };
    const warnings: string[] = [];
    const warn = (message: string): void => void warnings.push(message);
    const summaryOf = (exitCode: number, error?: FileError): MessageSummary =>
      toJsonValue({
        event: 'summary',
        exitCode,
        ...written,
        seconds: secondsSince(began),
        ...(warnings.length > 0 && { warnings }),
        error,
      });
    try {
      const args = optionsToArgs(table, options);
      const output: LineSink = { write: (bytes) => feed.send(messagesOf(bytes, parse)) };
      await work({ args, host: createLibraryHost(signal, warn), output, written, warn });
      return summaryOf(0);
    } catch (thrown) {
      if (thrown instanceof ReaderClosedError) return summaryOf(0);
      const { exitCode, error } = toRunFailure(
        signal.aborted ? abortReason(signal) : flagsToOptionsInError(thrown, table),
      );
      throw new TickhaulError(error, summaryOf(exitCode, error), findCause(thrown));
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
