import type { Written } from '../../market/lines/line-sink.js';
import { hearRequests } from '../../store/s3/told-requests.js';
import { REPLAY_FLAGS } from '../arguments/flags.js';
import type { Action, Args, Cli } from '../arguments/types.js';
import { tellMessages } from '../output/run/message-summary.js';

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
      'a day as JSON lines; what is not on disk is downloaded on the way',
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
  run: (args, cli) => tellMessages(args, cli, (written) => run(args, cli, written)),
};

async function run(args: Args, cli: Cli, written: Written): Promise<void> {
  const [{ prepareReplay }, { showReplay }, { ReaderGone, streamSink }] = await Promise.all([
    import('../../commands/replay.js'),
    import('../replay-teller.js'),
    import('../../base/output-sink.js'),
  ]);
  const replayTo = await prepareReplay(args, cli);
  const { teller, close } = await showReplay(args, cli, written);
  const output = streamSink(cli.dataOut, 'stdout');
  await hearRequests(teller.note, () => replayTo({ ...teller, output, written }))
    .catch((error: unknown) => {
      if (!(error instanceof ReaderGone)) throw error;
    })
    .finally(close);
}
