import { toJsonLine } from '../../events/json-events.js';
import { COMMAND_OPTIONS } from '../../options/command-options.js';
import type { InstrumentInfo } from '../../service/records/fetch-instruments.js';
import { defineCommand } from '../arguments/define-flags.js';
import { formatTable } from '../output/text/table.js';
import { withOutputContext } from '../run-command.js';

export const instrumentsCommand = defineCommand(COMMAND_OPTIONS.instruments, {
  examples: [
    ['$0 instruments bitmex --active --type perpetual', 'traded perpetuals; bitmex needs no key'],
    ['$0 instruments bitmex XBTUSD --json', 'all fields of one instrument'],
  ],
  async run(options, cli) {
    return withOutputContext(options, cli, async (context) => {
      const { findInstruments } = await import('../../operations/list-instruments.js');
      const instruments = await findInstruments(options, context);
      await cli.output.result({
        json: () => toJsonLine(instruments),
        text: () => formatInstruments([instruments].flat()),
      });
      return 0;
    });
  },
});

function formatInstruments(instruments: readonly InstrumentInfo[]): string {
  return formatTable(
    [
      { title: 'id', cell: ({ id }) => id },
      { title: 'dataset id', cell: ({ datasetId }) => datasetId ?? '(not exported yet)' },
      { title: 'type', cell: ({ type }) => type },
      { title: 'contract', cell: ({ contractType }) => contractType ?? '' },
      { title: 'base', cell: ({ baseCurrency }) => baseCurrency },
      { title: 'quote', cell: ({ quoteCurrency }) => quoteCurrency },
      { title: 'active', cell: ({ active }) => (active ? 'yes' : 'no') },
      { title: 'since', cell: ({ availableSince }) => availableSince.slice(0, 10) },
      { title: 'until', cell: ({ availableTo }) => availableTo?.slice(0, 10) ?? '' },
    ],
    instruments,
  );
}
