import { abortReason, TickhaulError } from '../../base/errors.js';
import { formatDuration, formatSize, plural } from '../../base/units.js';
import { readText, readToggle } from '../../commands/arguments/read.js';
import type { OutputStuck } from '../../live/line-pump.js';
import type { LiveEvent } from '../../live/types.js';
import { STREAM_FLAGS } from '../arguments/flags.js';
import type { Action, Args, Cli } from '../arguments/types.js';
import { showFileProgress, writesFile } from '../file-progress.js';
import { warnerOf } from '../output/messages.js';
import { tellMessages } from '../output/run/message-summary.js';
import { plainNoteOf } from '../session.js';

/** Milliseconds between two lines about one exchange (contract, Output). */
const LINES_MS = 10_000;
/** Milliseconds that a reader has for a write once the stream is ended. */
const PATIENCE_MS = 1000;

export const stream: Action = {
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
    const exitCode = await tellMessages(args, cli, async (written) => {
      const { prepareStream } = await import('../../commands/stream.js');
      const { ReaderGone, streamSink } = await import('../../base/output-sink.js');
      const { OutputStuck } = await import('../../live/line-pump.js');
      const streamTo = await prepareStream(args, cli);
      const hide = await showFileProgress(args, cli, written);
      const output = streamSink(cli.dataOut, 'stdout');
      const note = plainNoteOf(args, cli);
      await streamTo({ tell: tellerOf(args, cli), note, output, written, patienceMs: PATIENCE_MS })
        .catch((error: unknown) => {
          if (error instanceof ReaderGone) return;
          isStuck = error instanceof OutputStuck;
          throw error instanceof OutputStuck ? stuckError(error, args, cli) : error;
        })
        .finally(hide);
    });
    // What the reader doesn't take would keep the process.
    if (isStuck) cli.leave(exitCode);
    return exitCode;
  },
};

/** Its exit code is that of what ended the stream: messages are lost, so the end is no normal one. */
function stuckError({ messages }: OutputStuck, args: Args, { signal }: Cli): TickhaulError {
  const { code } = signal.aborted ? abortReason(signal) : { code: 'interrupted' as const };
  const name = writesFile(args) ? readText(args, 'out') : 'stdout';
  return new TickhaulError(
    code,
    `${name}: its reader took nothing for ${PATIENCE_MS / 1000}s; ${plural(messages, 'message')} lost`,
  );
}

/** Warnings, and what became of connections; with `--verbose` every time. */
function tellerOf(args: Args, { stderr }: Cli): (event: LiveEvent) => void {
  if (readToggle(args, 'quiet')) return () => {};
  const warn = warnerOf(stderr);
  const tellsAll = readToggle(args, 'verbose');
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
