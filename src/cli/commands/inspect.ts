import type { Cell, InspectedColumn, Inspection } from '../../convert/inspect/index.js';
import { formatDuration, formatSize } from '../../units.js';
import { line } from '../output/json.js';
import { formatPairs, formatTable } from '../output/table.js';
import { readText, readToggle } from '../read.js';
import type { Command } from '../types.js';

export const inspect: Command = {
  syntax: 'inspect <file>',
  describe: 'show schema, rows, time range and first rows of a .csv.gz, .parquet or .ndjson file',
  positionals: { file: { type: 'string', describe: 'one file; .ndjson may be compressed: .gz, .zst' } },
  flags: {
    type: {
      type: 'string',
      requiresArg: true,
      describe: 'data type of a CSV (default: from the file name, else the header)',
      group: 'Inspection:',
    },
  },
  examples: [
    ['$0 inspect day.csv.gz', 'rows, columns, gaps, first and last rows'],
    ['$0 inspect day.parquet --json | jq .rows', 'one JSON document'],
  ],
  async run(args, cli) {
    const { inspectFile } = await import('../../convert/inspect/index.js');
    const inspection = await inspectFile({
      path: String(args['file']),
      dataType: readText(args, 'type'),
      signal: cli.signal,
    });
    cli.stdout.write(readToggle(args, 'json') ? line(documentOf(inspection)) : textOf(inspection));
    return 0;
  },
};

/** Rows as objects; times stay integer microseconds. */
function documentOf({ first, last, ...rest }: Inspection): object {
  const objects = (rows: readonly (readonly Cell[])[]): object[] =>
    rows.map((row) => Object.fromEntries(rest.columns.map(({ name }, i) => [name, row[i] ?? null])));
  return { ...rest, first: objects(first), last: objects(last) };
}

function textOf(inspection: Inspection): string {
  const { columns, first, last, metadata = {} } = inspection;
  const source = metadata['tickhaul.source'];
  const pairs = formatPairs([
    ['file', inspection.path],
    ['size', formatSize(inspection.bytes)],
    ['data type', inspection.dataType ?? metadata['tickhaul.data_type']],
    ['rows', inspection.rows.toLocaleString('en')],
    ['row groups', inspection.rowGroups?.toLocaleString('en')],
    ['made from', source && `${source}, md5 ${metadata['tickhaul.source_md5']}`],
    ...timePairs(inspection),
  ]);
  return [
    pairs,
    columnTable(columns),
    rowTable('first rows', columns, first),
    rowTable('last rows', columns, last),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

function timePairs({ timeRange, largestGap, outOfOrder }: Inspection): [string, string][] {
  if (!timeRange) return [];
  const { microseconds = 0, from = 0 } = largestGap ?? {};
  return [
    ['from', formatMicros(timeRange.from)],
    ['to', formatMicros(timeRange.to)],
    ['largest gap', largestGap ? `${formatDuration(microseconds / 1000)} after ${formatMicros(from)}` : ''],
    ['out of order', outOfOrder === undefined ? '' : `${outOfOrder.toLocaleString('en')} rows`],
  ];
}

function columnTable(columns: readonly InspectedColumn[]): string {
  return formatTable<InspectedColumn>(
    [
      { title: 'column', cell: ({ name }) => name },
      { title: 'type', cell: ({ type }) => type },
      { title: 'nulls', align: 'right', cell: ({ nulls }) => nulls?.toLocaleString('en') ?? '?' },
      { title: 'min', cell: ({ min, type }) => formatCell(min, type) },
      { title: 'max', cell: ({ max, type }) => formatCell(max, type) },
    ],
    columns,
  );
}

function rowTable(
  title: string,
  columns: readonly InspectedColumn[],
  rows: readonly (readonly Cell[])[],
): string {
  if (rows.length === 0) return '';
  const table = formatTable(
    columns.map(({ name, type }, i) => ({
      title: name,
      cell: (row: readonly Cell[]) => formatCell(row[i], type),
    })),
    rows,
  );
  return `${title}\n${table}`;
}

/** The longest text that a table shows, in characters. */
const SHOWN = 40;

function formatCell(cell: Cell | undefined, type: string): string {
  if (cell === undefined || cell === null) return '';
  if (type === 'timestamp' && typeof cell === 'number') return formatMicros(cell);
  // Control characters would move the terminal's cursor.
  const text = String(cell).replace(/\p{Cc}/gu, '\ufffd');
  return text.length > SHOWN ? `${text.slice(0, SHOWN - 1)}…` : text;
}

/** Microseconds since the epoch as ISO 8601 with six decimals. */
function formatMicros(micros: number): string {
  const seconds = Math.floor(micros / 1e6);
  const date = new Date(seconds * 1000);
  if (Number.isNaN(date.getTime())) return String(micros);
  return `${date.toISOString().slice(0, -5)}.${String(micros - seconds * 1e6).padStart(6, '0')}Z`;
}
