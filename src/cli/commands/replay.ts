import { formatCount, formatSize, plural, secondsSince } from '../../base/units.js';
import { readToggle } from '../../commands/arguments/read.js';
import type { Written } from '../../commands/replay-run.js';
import { describeFailure, stackOf } from '../../run/failure.js';
import { REPLAY_FLAGS } from '../arguments/flags.js';
import type { Action, Args, Cli } from '../arguments/types.js';
import { tellFailure } from '../output/failure.js';

export const replay: Action = {
  positionals: {
    exchange: {
      type: 'string',
      describe: 'exchange ids, each with symbols after a colon: deribit:BTC-PERPETUAL',
    },
  },
  flags: REPLAY_FLAGS,
  examples: [
    [
      '$0 replay deribit:BTC-PERPETUAL -t trade,book_change --date 2024-03-01',
      'a day as JSON lines; what is not on disk is downloaded first',
    ],
    [
      '$0 replay deribit:BTC-PERPETUAL bitmex:XBTUSD -t quote --date 2024-03-01',
      'a day of two exchanges, merged by local time',
    ],
    [
      '$0 replay binance -s BTCUSDT -t trade_bar_1m --date 2024-03-01 -o b.gz',
      'the bars of a day into one file',
    ],
    [
      '$0 replay bitmex:XBTUSD --channel trade,orderBookL2 --date 2024-03-01',
      "the exchange's own messages, as it sent them",
    ],
    [
      '$0 replay bitmex:XBTUSD -t trade --source feeds --date 2024-03-01',
      'normalized messages, made of them',
    ],
  ],
  async run(args, cli) {
    const started = performance.now();
    const written: Written = { messages: 0, bytes: 0 };
    try {
      await run(args, cli, written);
      tellEnd(args, cli, written, started);
      return 0;
    } catch (error) {
      const thrown = cli.signal.aborted ? cli.signal.reason : error;
      const { exitCode } = describeFailure(thrown);
      tellFailure(thrown, cli.stderr, stackOf(thrown) !== undefined && readToggle(args, 'verbose'));
      tellSummary(args, cli, written, started, exitCode, describeFailure(thrown).error);
      return exitCode;
    }
  },
};

async function run(args: Args, cli: Cli, written: Written): Promise<void> {
  const { prepareReplay } = await import('../../commands/replay.js');
  const replayTo = await prepareReplay(args, cli);
  const { showReplay } = await import('../replay-teller.js');
  const { teller, close } = await showReplay(args, cli, written);
  const { ReaderGone, streamOutput } = await import('../../replay/output.js');
  await replayTo({ ...teller, output: streamOutput(cli.dataOut), written })
    .catch((error: unknown) => {
      if (!(error instanceof ReaderGone)) throw error;
    })
    .finally(close);
}

function tellEnd(args: Args, cli: Cli, written: Written, started: number): void {
  tellSummary(args, cli, written, started, 0);
  if (readToggle(args, 'json') || readToggle(args, 'quiet')) return;
  const { messages, bytes } = written;
  cli.stderr.write(
    `${formatCount(messages)} ${messages === 1 ? 'message' : 'messages'}, ${formatSize(bytes)}, ${plural(Math.round(secondsSince(started)), 'second')}\n`,
  );
}

/** The last line of stderr with `--json`: stdout has the messages. */
function tellSummary(
  args: Args,
  { stderr }: Cli,
  written: Written,
  started: number,
  exitCode: number,
  error?: object,
): void {
  if (!readToggle(args, 'json')) return;
  const summary = { event: 'summary', exitCode, ...written, seconds: secondsSince(started), error };
  stderr.write(`${JSON.stringify(summary)}\n`);
}
