import { toJsonLine } from '../../events/json-events.js';
import type { ListedSymbol } from '../../operations/list-symbols.js';
import { COMMAND_OPTIONS } from '../../options/command-options.js';
import { defineCommand } from '../arguments/define-flags.js';
import { textColumns } from '../output/text/screen.js';
import { formatTable, type TableColumn } from '../output/text/table.js';
import { withOutputContext } from '../run-command.js';

export const symbolsCommand = defineCommand(COMMAND_OPTIONS.symbols, {
  examples: [
    ['$0 symbols deribit --symbol-type perpetual', 'only perpetuals'],
    ['$0 symbols deribit "BTC-*" ETH-PERPETUAL', 'the symbols of a glob, and one more'],
    ['$0 symbols "*" "BTC*USDT" -t trades', 'of all exchanges, those with trades'],
    ['$0 symbols binance-futures "BTC*" -t trades --on 2024-03-01 --json', 'print one JSON document'],
  ],
  async run(options, cli) {
    return withOutputContext(options, cli, async (context) => {
      const { searchSymbols } = await import('../../operations/list-symbols.js');
      const { symbols, hasSeveralExchanges, error } = await searchSymbols(options, context);
      await cli.output.result({
        json: () => toJsonLine(symbols),
        text: () => formatSymbols(symbols, hasSeveralExchanges, textColumns(cli.stdout)),
      });
      if (error) throw error;
      return 0;
    });
  },
});

const EXCHANGE_COLUMN: TableColumn<ListedSymbol> = { title: 'exchange', cell: ({ exchange }) => exchange };

function formatSymbols(
  symbols: readonly ListedSymbol[],
  hasSeveralExchanges: boolean,
  columns: number,
): string {
  return formatTable(
    [
      ...(hasSeveralExchanges ? [EXCHANGE_COLUMN] : []),
      { title: 'symbol', cell: ({ id }) => id },
      { title: 'type', cell: ({ type }) => type ?? '' },
      { title: 'since', cell: ({ availableSince }) => availableSince?.slice(0, 10) ?? '' },
      { title: 'until', cell: ({ availableTo }) => availableTo?.slice(0, 10) ?? '' },
      { title: 'data types', breaks: true, cell: ({ dataTypes }) => dataTypes.join(',') },
    ],
    symbols,
    columns,
  );
}
