import type { WrittenCounts } from '../../market/lines/line-buffer.js';
import { COMMAND_OPTIONS } from '../../options/command-options.js';
import type { CommandValues } from '../../options/read-options.js';
import type { CliHost } from '../arguments/command.js';
import { defineCommand } from '../arguments/define-flags.js';
import { observeDayFiles, observeFeeds, runWithMessageSummary } from '../output/message-output.js';
import { raiseHeapGrowth } from '../raise-heap-growth.js';

export const replayCommand = defineCommand(COMMAND_OPTIONS.replay, {
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
  run: (options, cli) => runWithMessageSummary(cli, (written) => run(options, cli, written)),
});

async function run(
  options: CommandValues<typeof COMMAND_OPTIONS.replay>,
  cli: CliHost,
  written: WrittenCounts,
): Promise<void> {
  const [{ runReplay }, { withContext }, { ReaderClosedError, streamSink }] = await Promise.all([
    import('../../operations/replay-messages.js'),
    import('../../operations/context.js'),
    import('../../base/output-sink.js'),
  ]);
  raiseHeapGrowth();
  const isFeedReplay = options.channels !== undefined || options.source === 'feeds';
  const observe = isFeedReplay ? observeFeeds : observeDayFiles;
  const { observer, close } = await observe(options.out, cli, written);
  const output = streamSink(cli.dataOut, 'stdout');
  await withContext(options, cli, observer, (context) =>
    runReplay(options, context, { ...observer, output, written }),
  )
    .catch((error: unknown) => {
      if (!(error instanceof ReaderClosedError)) throw error;
    })
    .finally(close);
}
