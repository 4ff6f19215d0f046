import { toJsonLine } from '../../events/json-events.js';
import type { ExchangeRecord, ExchangeSummary } from '../../service/records/fetch-records.js';
import { defineCommand } from '../arguments/define-flags.js';
import { textColumns } from '../output/text/screen.js';
import { withOutputContext } from '../run-command.js';

const OPTIONS = {
  exchange: {
    type: 'text',
    description: 'exchange id; omit it to list all exchanges',
    positional: true,
  },
} as const;

export const exchangesCommand = defineCommand(OPTIONS, {
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
      const client = await context.client();
      const { FIELDS, fetchExchanges, fetchRecord } = await import('../../service/records/fetch-records.js');
      const fetching = { cache: (await context.settings()).cacheDir, signal: cli.signal };
      if (options.exchange === undefined) {
        const list = await fetchExchanges(client, fetching);
        await cli.output.result({
          json: () => formatJson(list),
          text: () => formatList(list, textColumns(cli.stdout)),
        });
      } else {
        const record = await fetchRecord(client, options.exchange.toLowerCase(), FIELDS.whole, fetching);
        await cli.output.result({
          json: () => formatJson(record),
          text: () => formatRecord(record, textColumns(cli.stdout)),
        });
      }
      return 0;
    });
  },
});

/** The records as the service sent them, each with what tickhaul can do with the exchange's messages. */
async function formatJson(records: ExchangeRecord | readonly ExchangeSummary[]): Promise<string> {
  const { describeMessageSupport } = await import('../../dialects/message-support.js');
  const describe = async (record: ExchangeSummary): Promise<object> => {
    const messages = await describeMessageSupport(record.id);
    return { ...record, messages: record.delisted === true ? withoutLive(messages) : messages };
  };
  return toJsonLine(
    Array.isArray(records)
      ? await Promise.all(records.map(describe))
      : await describe(records as ExchangeRecord),
  );
}

function withoutLive(messages: Readonly<Record<string, object>>): object {
  return Object.fromEntries(Object.entries(messages).map(([type, one]) => [type, { ...one, live: false }]));
}

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
