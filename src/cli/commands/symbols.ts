import { usageError } from '../../base/errors.js';
import { didYouMean } from '../../base/nearest.js';
import { readDay, readExchange, readList, readToggle } from '../../commands/arguments/read.js';
import { type Day, dayOfTime, parseDay } from '../../dataset/day.js';
import { globMatcher, isGlob, toDatasetSymbol } from '../../dataset/symbols.js';
import { line } from '../../run/json.js';
import type { DatasetSymbol, ExchangeRecord } from '../../service/records/metadata.js';
import { EXCHANGE } from '../arguments/positionals.js';
import type { Action, Args } from '../arguments/types.js';
import { textColumns } from '../output/text/screen.js';
import { formatTable } from '../output/text/table.js';
import { withSession } from '../session.js';

const value = { type: 'string', requiresArg: true, group: 'Filters:' } as const;

export const symbols: Action = {
  positionals: { exchange: EXCHANGE },
  flags: {
    type: { ...value, alias: 't', describe: 'only symbols with one of these data types' },
    symbol: { ...value, alias: 's', describe: 'only these symbols; globs as BTC*' },
    'symbol-type': { ...value, describe: 'only symbols of these types: spot, future, perpetual, option …' },
    on: { ...value, describe: 'only symbols available on this UTC day, YYYY-MM-DD' },
  },
  examples: [
    ['$0 symbols deribit --symbol-type perpetual', 'perpetuals only'],
    ['$0 symbols binance-futures -s "BTC*" -t trades --on 2024-03-01 --json', 'one JSON document'],
  ],
  async run(args, cli) {
    return withSession(args, cli, {}, async ({ client, settings }) => {
      const { fetchDatasetRecord } = await import('../../service/records/metadata.js');
      const record = await fetchDatasetRecord(client, readExchange(args), {
        cache: settings.cacheDir,
        signal: cli.signal,
      });
      const found = filterSymbols(record, args);
      cli.stdout.write(readToggle(args, 'json') ? line(found) : tableOf(found, textColumns(cli.stdout)));
      return 0;
    });
  },
};

/** @throws usage error for a data type, symbol or symbol type that the record doesn't have. */
function filterSymbols(record: ExchangeRecord, args: Args): readonly DatasetSymbol[] {
  const all = record.datasets?.symbols;
  if (all === undefined) throw usageError(`exchange "${record.id}" has no datasets`);
  const types = known(
    readList(args, 'type'),
    'data type',
    () => all.flatMap(({ dataTypes }) => dataTypes),
    itHas,
  );
  const symbolTypes = known(
    readList(args, 'symbol-type'),
    'symbol type',
    () => all.flatMap(({ type }) => type ?? []),
    itHas,
  );
  const isWanted = symbolTest(readList(args, 'symbol'), record.id, all);
  const onText = readDay(args, 'on');
  const on = onText === undefined ? undefined : parseDay(onText);
  return all.filter(
    (symbol) =>
      isWanted(symbol.id) &&
      (types === undefined || symbol.dataTypes.some((type) => types.has(type))) &&
      (symbolTypes === undefined || symbolTypes.has(symbol.type ?? '')) &&
      (on === undefined || isAvailable(symbol, on)),
  );
}

/** Of names that are few, all of them. */
function itHas(names: ReadonlySet<string>): string {
  return `; it has ${[...names].sort().join(', ')}`;
}

/**
 * The wanted names as a set, each of them known; undefined stands for all.
 * @param otherwise what to say of a name to which none is near.
 */
function known(
  wanted: readonly string[] | undefined,
  what: string,
  list: () => readonly string[],
  otherwise: (names: ReadonlySet<string>) => string,
): ReadonlySet<string> | undefined {
  if (wanted === undefined) return undefined;
  const names = new Set(list());
  for (const name of wanted) {
    if (names.has(name)) continue;
    throw usageError(`unknown ${what} "${name}"${didYouMean(name, names) || otherwise(names)}`);
  }
  return new Set(wanted);
}

function symbolTest(
  wanted: readonly string[] | undefined,
  exchange: string,
  all: readonly DatasetSymbol[],
): (id: string) => boolean {
  if (wanted === undefined) return () => true;
  const patterns = wanted.map(toDatasetSymbol);
  const names = known(
    patterns.filter((pattern) => !isGlob(pattern)),
    'symbol',
    () => all.map(({ id }) => id),
    () => `; see: tickhaul symbols ${exchange}`,
  );
  const globs = patterns.filter(isGlob).map(globMatcher);
  return (id) => names?.has(id) === true || globs.some((matches) => matches(id));
}

function isAvailable({ availableSince, availableTo }: DatasetSymbol, day: Day): boolean {
  const first = availableSince === undefined ? undefined : dayOfTime(availableSince);
  const last = availableTo === undefined ? undefined : dayOfTime(availableTo);
  return (first === undefined || day >= first) && (last === undefined || day <= last);
}

function tableOf(found: readonly DatasetSymbol[], columns: number): string {
  return formatTable(
    [
      { title: 'symbol', cell: ({ id }) => id },
      { title: 'type', cell: ({ type }) => type ?? '' },
      { title: 'since', cell: ({ availableSince }) => availableSince?.slice(0, 10) ?? '' },
      { title: 'until', cell: ({ availableTo }) => availableTo?.slice(0, 10) ?? '' },
      { title: 'data types', breaks: true, cell: ({ dataTypes }) => dataTypes.join(',') },
    ],
    found,
    columns,
  );
}
