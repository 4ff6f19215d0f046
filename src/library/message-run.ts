import type { FileError } from '../base/errors.js';
import { abortReason } from '../base/errors.js';
import { ReaderClosedError } from '../base/output-sink.js';
import { secondsSince } from '../base/units.js';
import { toRunFailure } from '../events/run-failure.js';
import type { LineSink, WrittenCounts } from '../market/lines/line-buffer.js';
import type { CommandArgs } from '../operations/arguments/command-args.js';
import { expandHomeInArgs } from '../operations/arguments/expand-home.js';
import type { CommandHost } from '../operations/command-host.js';
import type { EventQueue } from './event-queue.js';
import { findSignal } from './event-run.js';
import { LibraryError } from './library-error.js';
import { createLibraryHost } from './library-host.js';
import type { OptionTable } from './option-tables.js';
import { flagsToOptionsInError, optionsToArgs } from './options-to-args.js';
import { findCause, type Run, startRun } from './start-run.js';
import { toJsonValue } from './to-json-value.js';

/** Summary of a run of messages. */
export interface MessageSummary {
  readonly event: 'summary';
  readonly exitCode: number;
  readonly messages: number;
  /** Bytes of the messages as lines. */
  readonly bytes: number;
  readonly seconds: number;
  /** Data that was left out, as messages. */
  readonly warnings?: readonly string[] | undefined;
  readonly error?: FileError | undefined;
}

/** Context of a run of messages: its options as command arguments, and its outputs. */
export interface MessageCall {
  readonly args: CommandArgs;
  readonly host: CommandHost;
  /** Each write resolves when the reader has read all messages of the lines. */
  readonly output: LineSink;
  /** Counters that the work increments. */
  readonly written: WrittenCounts;
  readonly warn: (message: string) => void;
}

/**
 * Starts a run that yields messages.
 * @param parse creates a message from a line without its line end.
 * @param work reads the arguments with the readers of the flags, and runs the command.
 */
export function startMessageRun<Item>(
  table: OptionTable,
  options: unknown,
  parse: (line: string) => Item,
  work: (call: MessageCall) => Promise<void>,
): Run<Item, MessageSummary> {
  return startRun(findSignal(options), async (feed: EventQueue<Item>, signal) => {
    const startedAtMs = performance.now();
    const written = { messages: 0, bytes: 0 };
    const warnings: string[] = [];
    const warn = (message: string): void => void warnings.push(message);
    const createSummary = (exitCode: number, error?: FileError): MessageSummary =>
      toJsonValue({
        event: 'summary',
        exitCode,
        ...written,
        seconds: secondsSince(startedAtMs),
        ...(warnings.length > 0 && { warnings }),
        error,
      });
    try {
      const host = createLibraryHost(signal, warn);
      const args = expandHomeInArgs(optionsToArgs(table, options), host.home);
      const output: LineSink = { write: (bytes) => feed.send(parseLines(bytes, parse)) };
      await work({ args, host, output, written, warn });
      return createSummary(0);
    } catch (thrown) {
      if (thrown instanceof ReaderClosedError) return createSummary(0);
      const { exitCode, error } = toRunFailure(
        signal.aborted ? abortReason(signal) : flagsToOptionsInError(thrown, table),
      );
      throw new LibraryError(error, createSummary(exitCode, error), findCause(thrown));
    }
  });
}

const NEWLINE = 0x0a;

/** Parses whole lines into messages. */
function* parseLines<Item>(lines: Uint8Array, parse: (line: string) => Item): Generator<Item> {
  const bytes = Buffer.from(lines.buffer, lines.byteOffset, lines.byteLength);
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(NEWLINE, start);
    yield parse(bytes.toString('utf8', start, end));
    start = end + 1;
  }
}
