import { COMMAND_OPTIONS } from '../../options/command-options.js';
import type { CommandAction } from '../arguments/command.js';
import { defineOptions } from '../arguments/define-flags.js';

export const exportCommand: CommandAction = {
  ...defineOptions(COMMAND_OPTIONS.export),
  examples: [
    ['$0 export hftbacktest datasets -o npz', 'one .npz per symbol and day, of trades and books'],
    ['$0 export nautilus datasets -t trades,quotes -o catalog', 'a catalog of NautilusTrader'],
    [
      '$0 export nautilus datasets -t trades --as trade_bar_1m -o catalog',
      'one-minute bars in place of trades',
    ],
    [
      '$0 export freqtrade datasets --timeframe 1m,1h -o user_data/data/binance',
      'candles and trades of each pair',
    ],
  ],
  async run(args, cli) {
    const { prepareExport } = await import('../../operations/prepare-export.js');
    const run = await prepareExport(args, cli);
    return cli.output.report(run);
  },
};
