import { toJsonLine } from '../../events/json-events.js';
import { COMMAND_OPTIONS } from '../../options/command-options.js';
import type { ExchangeRecord, ExchangeSummary } from '../../service/records/fetch-records.js';
import { defineCommand } from '../arguments/define-flags.js';
import { textColumns } from '../output/text/screen.js';
import { withOutputContext } from '../run-command.js';

export const exchangesCommand = defineCommand(COMMAND_OPTIONS.exchanges, {
  examples: [
    ['$0 exchanges', 'list all exchanges'],
    ['$0 exchanges deribit', 'show the record of one exchange'],
    [
      '$0 exchanges deribit --json',
      'the record, with the days and types that feeds and streams can normalize',
    ],
  ],
  async run(options, cli) {
    return withOutputContext(options, cli, async (context) => {
      const { fetchExchangeList, fetchExchangeRecord, withMessageSupport } = await import(
        '../../operations/list-exchanges.js'
      );
      const columns = textColumns(cli.stdout);
      if (options.exchange === undefined) {
        const list = await fetchExchangeList(context);
        await cli.output.result({
          json: async () => toJsonLine(await Promise.all(list.map(withMessageSupport))),
          text: () => formatList(list, columns),
        });
      } else {
        const record = await fetchExchangeRecord(options.exchange, context);
        await cli.output.result({
          json: async () => toJsonLine(await withMessageSupport(record)),
          text: () => formatRecord(record, columns),
        });
      }
      return 0;
    });
  },
});

async function formatList(list: readonly ExchangeSummary[], columns: number): Promise<string> {
  const { formatTable } = await import('../output/text/table.js');
  return formatTable(
    [
      { title: 'exchange', cell: ({ id }) => id },
      { title: 'name', breaks: true, cell: ({ name }) => name ?? '' },
      { title: 'datasets', cell: ({ supportsDatasets }) => (supportsDatasets === true ? 'yes' : 'no') },
      { title: 'since', cell: ({ availableSince }) => formatTimeAsDay(availableSince) },
      { title: 'until', breaks: true, cell: ({ availableTo, delisted }) => formatEnd(availableTo, delisted) },
    ],
    list,
    columns,
  );
}

async function formatRecord(record: ExchangeRecord, columns: number): Promise<string> {
  const { formatPairs } = await import('../output/text/table.js');
  const { datasets } = record;
  const dataTypes = new Set(datasets?.symbols.flatMap((symbol) => symbol.dataTypes));
  const incidents = record['incidentReports'];
  const pairs: readonly (readonly [string, string | undefined])[] = [
    ['exchange', record.id],
    ['name', record.name],
    ['available since', formatTimeAsDay(record.availableSince)],
    ['until', formatEnd(record.availableTo, record.delisted)],
    ['datasets', datasets === undefined ? 'none' : undefined],
    ['exportedFrom', datasets?.exportedFrom],
    ['exportedUntil', datasets?.exportedUntil],
    ['dataset symbols', datasets && formatCountsByType(datasets.symbols)],
    ['data types', [...dataTypes].join(', ')],
    ['incident reports', Array.isArray(incidents) ? String(incidents.length) : undefined],
  ];
  return formatPairs(pairs, columns);
}

/** Formats counts by type: `1204 (option 1100, future 104)`. */
function formatCountsByType(symbols: readonly { readonly type?: string | undefined }[]): string {
  const counts = new Map<string, number>();
  for (const { type = 'other' } of symbols) counts.set(type, (counts.get(type) ?? 0) + 1);
  const parts = [...counts].sort((a, b) => b[1] - a[1]).map(([type, count]) => `${type} ${count}`);
  return parts.length === 0 ? '0' : `${symbols.length} (${parts.join(', ')})`;
}

function formatTimeAsDay(time: string | undefined): string {
  return time?.slice(0, 'YYYY-MM-DD'.length) ?? '';
}

function formatEnd(availableTo: string | undefined, delisted: boolean | undefined): string {
  return [formatTimeAsDay(availableTo), delisted === true ? 'delisted' : '']
    .filter((part) => part !== '')
    .join(' ');
}
