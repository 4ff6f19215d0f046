import { abortReason, TickhaulError } from '../../base/errors.js';
import { formatDuration, formatSize, plural } from '../../base/units.js';
import { readBooleanFlag, readTextFlag } from '../../commands/arguments/read-arguments.js';
import type { OutputStalledError } from '../../live/line-pump.js';
import type { LiveEvent } from '../../live/live-options.js';
import type { CliHost, CommandAction, CommandArgs } from '../arguments/command.js';
import { STREAM_FLAGS } from '../arguments/run-flags.js';
import { createWarner } from '../output/format-events.js';
import { runWithMessageSummary } from '../output/run/message-summary.js';
import { plainNoteOf } from '../session.js';
import { showFileProgress, writesFile } from '../show-file-progress.js';

/** Milliseconds between two lines about one exchange (contract, Output). */
const LINES_MS = 10_000;
/** Milliseconds that a reader has for a write once the stream is ended. */
const PATIENCE_MS = 1000;

export const streamCommand: CommandAction = {
  positionals: {
    exchange: {
      type: 'string',
      describe: 'exchange ids, each with symbols after a colon: deribit:BTC-PERPETUAL',
    },
  },
  flags: STREAM_FLAGS,
  examples: [
    ['$0 stream deribit:BTC-PERPETUAL -t trade,book_change', 'what happens now, as JSON lines, till Ctrl-C'],
    ['$0 stream bitmex:XBTUSD okex-swap:BTC-USDT-SWAP -t quote_1s', 'two exchanges in one stream'],
    ['$0 stream bybit:BTCUSDT -t trade_bar_1m --for 8h -o bars.ndjson.gz', 'eight hours into one file'],
  ],
  async run(args, cli) {
    let isStuck = false;
    const exitCode = await runWithMessageSummary(args, cli, async (written) => {
      const { prepareStream } = await import('../../commands/prepare-stream.js');
      const { ReaderClosedError, streamSink } = await import('../../base/output-sink.js');
      const { OutputStalledError } = await import('../../live/line-pump.js');
      const streamTo = await prepareStream(args, cli);
      const hide = await showFileProgress(args, cli, written);
      const output = streamSink(cli.dataOut, 'stdout');
      const note = plainNoteOf(args, cli);
      await streamTo({ onEvent: tellerOf(args, cli), note, output, written, patienceMs: PATIENCE_MS })
        .catch((error: unknown) => {
          if (error instanceof ReaderClosedError) return;
          isStuck = error instanceof OutputStalledError;
          throw error instanceof OutputStalledError ? stuckError(error, args, cli) : error;
        })
        .finally(hide);
    });
    // What the reader doesn't take would keep the process.
    if (isStuck) cli.leave(exitCode);
    return exitCode;
  },
};

/** Its exit code is that of what ended the stream: messages are lost, so the end is no normal one. */
function stuckError({ messages }: OutputStalledError, args: CommandArgs, { signal }: CliHost): TickhaulError {
  const { code } = signal.aborted ? abortReason(signal) : { code: 'interrupted' as const };
  const name = writesFile(args) ? readTextFlag(args, 'out') : 'stdout';
  return new TickhaulError(
    code,
    `${name}: its reader took nothing for ${PATIENCE_MS / 1000}s; ${plural(messages, 'message')} lost`,
  );
}

/** Warnings, and what became of connections; with `--verbose` every time. */
function tellerOf(args: CommandArgs, { stderr }: CliHost): (event: LiveEvent) => void {
  if (readBooleanFlag(args, 'quiet')) return () => {};
  const warn = createWarner(stderr);
  const tellsAll = readBooleanFlag(args, 'verbose');
  const last = new Map<string, number>();
  return (event) => {
    if (event.event === 'warning') return warn(event.message);
    const now = performance.now();
    const isSoon = now - (last.get(event.exchange) ?? Number.NEGATIVE_INFINITY) < LINES_MS;
    if (isSoon && !tellsAll) return;
    last.set(event.exchange, now);
    warn(textOf(event));
  };
}

function textOf(event: Exclude<LiveEvent, { readonly event: 'warning' }>): string {
  const { exchange } = event;
  if (event.event === 'behind') {
    return `${exchange}: the reader is ${formatSize(event.bytes)} behind: disconnected until it has caught up`;
  }
  return `${event.error.message}; ${exchange} is connected anew in ${formatDuration(event.waitMs)}`;
}
