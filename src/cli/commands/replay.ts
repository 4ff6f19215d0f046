import type { WrittenCounts } from '../../market/lines/line-sink.js';
import { readTextFlag } from '../../operations/arguments/read-arguments.js';
import { COMMAND_OPTIONS } from '../../options/command-options.js';
import type { CliHost, CommandAction, CommandArgs } from '../arguments/command.js';
import { defineOptions } from '../arguments/define-flags.js';
import { observeDayFiles, observeFeeds, runWithMessageSummary } from '../output/message-output.js';
import { raiseHeapGrowth } from '../raise-heap-growth.js';

export const replayCommand: CommandAction = {
  ...defineOptions(COMMAND_OPTIONS.replay),
  examples: [
    [
      '$0 replay deribit:BTC-PERPETUAL -t trade,book_change --date 2024-03-01',
      'one day as JSON lines; missing day files are downloaded first',
    ],
    [
      '$0 replay deribit:BTC-PERPETUAL bitmex:XBTUSD -t quote --date 2024-03-01',
      'one day of two exchanges, merged by local time',
    ],
    [
      '$0 replay binance -s BTCUSDT -t trade_bar_1m --date 2024-03-01 -o b.gz',
      'write the bars of one day to a file',
    ],
    [
      '$0 replay bitmex:XBTUSD -t trade --last 7d --format arrow -o t.arrow',
      'write the trades of a week to an Arrow file',
    ],
    [
      '$0 replay bitmex:XBTUSD --channel trade,orderBookL2 --date 2024-03-01',
      'native messages, as the exchange sent them',
    ],
    [
      '$0 replay bitmex:XBTUSD -t trade --source feeds --date 2024-03-01',
      'normalized messages, computed from native ones',
    ],
  ],
  run: (args, cli) => runWithMessageSummary(cli, (written) => run(args, cli, written)),
};

async function run(args: CommandArgs, cli: CliHost, written: WrittenCounts): Promise<void> {
  const [{ prepareReplay }, { ReaderClosedError, streamSink }] = await Promise.all([
    import('../../operations/prepare-replay.js'),
    import('../../base/output-sink.js'),
  ]);
  raiseHeapGrowth();
  const runReplay = await prepareReplay(args, cli);
  const isFeedReplay = args['channel'] !== undefined || readTextFlag(args, 'source') === 'feeds';
  const observe = isFeedReplay ? observeFeeds : observeDayFiles;
  const { observer, close } = await observe(readTextFlag(args, 'out'), cli, written);
  const output = streamSink(cli.dataOut, 'stdout');
  await runReplay({ ...observer, output, written })
    .catch((error: unknown) => {
      if (!(error instanceof ReaderClosedError)) throw error;
    })
    .finally(close);
}
