import { readExchange, readToggle } from '../../commands/arguments/read.js';
import { line } from '../../run/json.js';
import type { ExchangeRecord, ExchangeSummary } from '../../service/records/metadata.js';
import type { Action } from '../arguments/types.js';
import { textColumns } from '../output/text/screen.js';
import { withSession } from '../session.js';

export const exchanges: Action = {
  positionals: { exchange: { type: 'string', describe: 'exchange id; leave it out to list all' } },
  flags: {},
  examples: [
    ['$0 exchanges', 'all exchanges'],
    ['$0 exchanges deribit', 'the record of one exchange'],
  ],
  async run(args, cli) {
    return withSession(args, cli, {}, async ({ client, settings }) => {
      const { fetchExchange, fetchExchanges } = await import('../../service/records/metadata.js');
      const options = { cache: settings.cacheDir, signal: cli.signal };
      const json = readToggle(args, 'json');
      if (args['exchange'] === undefined) {
        const list = await fetchExchanges(client, options);
        cli.stdout.write(json ? line(list) : await listText(list, textColumns(cli.stdout)));
      } else {
        const record = await fetchExchange(client, readExchange(args), options);
        cli.stdout.write(json ? line(record) : await recordText(record, textColumns(cli.stdout)));
      }
      return 0;
    });
  },
};

async function listText(list: readonly ExchangeSummary[], columns: number): Promise<string> {
  const { formatTable } = await import('../output/text/table.js');
  return formatTable(
    [
      { title: 'exchange', cell: ({ id }) => id },
      { title: 'name', breaks: true, cell: ({ name }) => name ?? '' },
      { title: 'datasets', cell: ({ supportsDatasets }) => (supportsDatasets === true ? 'yes' : 'no') },
      { title: 'since', cell: ({ availableSince }) => dayText(availableSince) },
      { title: 'until', breaks: true, cell: ({ availableTo, delisted }) => untilText(availableTo, delisted) },
    ],
    list,
    columns,
  );
}

async function recordText(record: ExchangeRecord, columns: number): Promise<string> {
  const { formatPairs } = await import('../output/text/table.js');
  const { datasets } = record;
  const dataTypes = new Set(datasets?.symbols.flatMap((symbol) => symbol.dataTypes));
  const incidents = record['incidentReports'];
  const pairs: readonly (readonly [string, string | undefined])[] = [
    ['exchange', record.id],
    ['name', record.name],
    ['available since', dayText(record.availableSince)],
    ['until', untilText(record.availableTo, record.delisted)],
    ['datasets', datasets === undefined ? 'none' : undefined],
    ['exportedFrom', datasets?.exportedFrom],
    ['exportedUntil', datasets?.exportedUntil],
    ['dataset symbols', datasets && countsByType(datasets.symbols)],
    ['data types', [...dataTypes].join(', ')],
    ['incident reports', Array.isArray(incidents) ? String(incidents.length) : undefined],
  ];
  return formatPairs(pairs, columns);
}

/** `1204 (option 1100, future 104)` */
function countsByType(symbols: readonly { readonly type?: string | undefined }[]): string {
  const counts = new Map<string, number>();
  for (const { type = 'other' } of symbols) counts.set(type, (counts.get(type) ?? 0) + 1);
  const parts = [...counts].sort((a, b) => b[1] - a[1]).map(([type, count]) => `${type} ${count}`);
  return parts.length === 0 ? '0' : `${symbols.length} (${parts.join(', ')})`;
}

function dayText(time: string | undefined): string {
  return time?.slice(0, 'YYYY-MM-DD'.length) ?? '';
}

function untilText(availableTo: string | undefined, delisted: boolean | undefined): string {
  return [dayText(availableTo), delisted === true ? 'delisted' : ''].filter((part) => part !== '').join(' ');
}
