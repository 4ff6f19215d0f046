import type { LiveEvent } from '../live/live-options.js';
import type { Message } from '../market/messages.js';
import { withContext } from '../operations/context.js';
import { COMMAND_OPTIONS } from '../options/command-options.js';
import { settingNameOf } from '../options/option-definition.js';
import { readCommandOptions } from '../options/read-options.js';
import type { StreamOptions } from './function-options.js';
import { type MessageSummary, startMessageRun } from './message-run.js';
import { OPTION_TABLES } from './option-tables.js';
import type { Run } from './start-run.js';

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
