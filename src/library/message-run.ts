import { abortReason, type FileError } from '../base/errors.js';
import { ReaderClosedError } from '../base/output-sink.js';
import { secondsSince } from '../base/units.js';
import type { RunEvent } from '../events/run-events.js';
import { toRunFailure } from '../events/run-failure.js';
import type { LiveEvent } from '../live/live-options.js';
import type { LineSink, WrittenCounts } from '../market/lines/line-buffer.js';
import type { Message } from '../market/messages.js';
import type { CommandHost } from '../operations/command-host.js';
import { withContext } from '../operations/context.js';
import { type CommandArgs, expandHomeInArgs } from '../operations/expand-home.js';
import { COMMAND_OPTIONS } from '../options/command-options.js';
import { settingNameOf } from '../options/option-definition.js';
import { readCommandOptions } from '../options/read-options.js';
import { findSignal } from './event-run.js';
import type { RawReplayOptions, ReplayOptions, StreamOptions } from './function-options.js';
import { flagsToOptionsInError, OPTION_TABLES, type OptionTable, optionsToArgs } from './options-to-args.js';
import {
  createLibraryHost,
  type EventQueue,
  findCause,
  LibraryError,
  type Run,
  startRun,
  toJsonValue,
} from './start-run.js';

/** Summary of a run of messages. */
interface MessageSummary {
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

/** Summary of a stream. */
export type StreamSummary = MessageSummary;

/**
 * Streams normalized messages live from the exchanges, each when it is received, like `tickhaul stream`. It runs until
 * `signal` or `for` ends it or its reader leaves; each of these is a normal end.
 * @returns a promise of the summary, and an async iterable of the messages.
 */
export function stream(options: StreamOptions): Run<Message, StreamSummary> {
  const parse = (line: string): Message => JSON.parse(line) as Message;
  return startMessageRun(
    OPTION_TABLES.stream,
    options,
    parse,
    async ({ args, host, output, written, warn }) => {
      const { runStream } = await import('../operations/stream-messages.js');
      const values = readCommandOptions(COMMAND_OPTIONS.stream, args, settingNameOf);
      const onEvent = (event: LiveEvent): void => {
        if (event.event === 'warning') warn(event.message);
      };
      await withContext(values, host, { emit() {} }, (context) =>
        runStream(values, context, { onEvent, output, written }),
      );
    },
  );
}

/** Context of a run of messages: its options as command arguments, and its outputs. */
interface MessageCall {
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
function startMessageRun<Item>(
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
