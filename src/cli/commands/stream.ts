import { abortReason, TickhaulError } from '../../base/errors.js';
import { formatDuration, formatSize, plural } from '../../base/units.js';
import type { OutputStalledError } from '../../live/line-pump.js';
import type { LiveEvent } from '../../live/live-options.js';
import { COMMAND_OPTIONS } from '../../options/command-options.js';
import type { CliHost } from '../arguments/command.js';
import { defineCommand } from '../arguments/define-flags.js';
import { runWithMessageSummary, showFileProgress, writesFile } from '../output/message-output.js';
import { createThrottle } from '../output/throttle.js';
import { withOutputContext } from '../run-command.js';

/** Milliseconds that one write to the output may take after the end of the stream. */
const WRITE_TIMEOUT_MS = 1000;

export const streamCommand = defineCommand(COMMAND_OPTIONS.stream, {
  examples: [
    [
      '$0 stream deribit:BTC-PERPETUAL -t trade,book_change',
      'print live messages as JSON lines until Ctrl-C',
    ],
    ['$0 stream bitmex:XBTUSD okex-swap:BTC-USDT-SWAP -t quote_1s', 'merge two exchanges in one stream'],
    ['$0 stream bybit:BTCUSDT -t trade_bar_1m --for 8h -o bars.ndjson.gz', 'write eight hours to a file'],
  ],
  async run(options, cli) {
    let isStalled = false;
    const exitCode = await runWithMessageSummary(cli, async (written) => {
      const { runStream } = await import('../../operations/stream-messages.js');
      const { ReaderClosedError, streamSink } = await import('../../base/output-sink.js');
      const { OutputStalledError } = await import('../../live/line-pump.js');
      const hideProgress = await showFileProgress(options.out, cli, written);
      const output = streamSink(cli.dataOut, 'stdout');
      const onEvent = createEventPrinter(cli);
      await withOutputContext(options, cli, (context) =>
        runStream(options, context, { onEvent, output, written, patienceMs: WRITE_TIMEOUT_MS }),
      )
        .catch((error: unknown) => {
          if (error instanceof ReaderClosedError) return;
          isStalled = error instanceof OutputStalledError;
          throw error instanceof OutputStalledError ? toStalledError(error, options.out, cli) : error;
        })
        .finally(hideProgress);
    });
    // Output that is never read would keep the process running.
    if (isStalled) cli.exitNow(exitCode);
    return exitCode;
  },
});

/** The exit code is that of the reason for the end. Messages are lost, so this is never a normal end. */
function toStalledError({ messages }: OutputStalledError, out: string, { signal }: CliHost): TickhaulError {
  const { code } = signal.aborted ? abortReason(signal) : { code: 'interrupted' as const };
  const name = writesFile(out) ? out : 'stdout';
  return new TickhaulError(
    code,
    `${name}: its reader read nothing for ${WRITE_TIMEOUT_MS / 1000}s; ${plural(messages, 'message')} lost`,
  );
}

/** Prints warnings and connection events, at most one per exchange and interval unless `--verbose`. */
function createEventPrinter({ output: { warn, verbose } }: CliHost): (event: LiveEvent) => void {
  const isDue = createThrottle(() => performance.now());
  return (event) => {
    if (event.event === 'warning') return warn(event.message);
    if (verbose || isDue(event.exchange)) warn(formatEvent(event));
  };
}

function formatEvent(event: Exclude<LiveEvent, { readonly event: 'warning' }>): string {
  const { exchange } = event;
  if (event.event === 'behind') {
    return `${exchange}: the reader is ${formatSize(event.bytes)} behind; disconnected until it catches up`;
  }
  return `${event.error.message}; reconnecting to ${exchange} in ${formatDuration(event.waitMs)}`;
}
