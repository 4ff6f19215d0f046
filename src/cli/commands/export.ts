import { COMMAND_OPTIONS } from '../../options/command-options.js';
import { defineCommand } from '../arguments/define-flags.js';
import { runOperation } from '../run-command.js';

export const exportCommand = defineCommand(COMMAND_OPTIONS.export, {
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
  async run(options, cli) {
    const { runExport } = await import('../../operations/export.js');
    return runOperation(runExport, options, cli);
  },
});
