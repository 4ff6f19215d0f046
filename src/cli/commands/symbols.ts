import { usageError } from '../../base/errors.js';
import { didYouMean, nearestNames } from '../../base/nearest.js';
import { readDay, readExchange, readList, readPaths, readToggle } from '../../commands/arguments/read.js';
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
  positionals: {
    exchange: EXCHANGE,
    glob: { type: 'string', describe: 'only these symbols, as --symbol takes them' },
  },
  flags: {
    type: { ...value, alias: 't', describe: 'only symbols with one of these data types' },
    symbol: { ...value, alias: 's', describe: 'only these symbols, comma-separated; globs as "BTC*"' },
    'symbol-type': { ...value, describe: 'only symbols of these types: spot, future, perpetual, option …' },
    on: { ...value, describe: 'only symbols available on this UTC day, YYYY-MM-DD' },
  },
  examples: [
    ['$0 symbols deribit --symbol-type perpetual', 'perpetuals only'],
    ['$0 symbols deribit "BTC-*" ETH-PERPETUAL', 'those of a glob, and one more'],
    ['$0 symbols binance-futures "BTC*" -t trades --on 2024-03-01 --json', 'one JSON document'],
  ],
  async run(args, cli) {
    return withSession(args, cli, {}, async ({ client, settings }) => {
      const { fetchDatasetRecord } = await import('../../service/records/metadata.js');
      const record = await fetchDatasetRecord(client, readExchange(args), {
        cache: settings.cacheDir,
        signal: cli.signal,
      });
      const { found, unmatched } = filterSymbols(record, args);
      const warnings = unmatched.map(
        ({ text, hint }) => `no symbol of ${record.id} matches "${text}"${hint}`,
      );
      if (found.length === 0 && unmatched.length === 0)
        warnings.push(`no symbol of ${record.id} matches all filters`);
      if (!readToggle(args, 'quiet')) for (const message of warnings) cli.warn(message);
      cli.stdout.write(readToggle(args, 'json') ? line(found) : tableOf(found, textColumns(cli.stdout)));
      return 0;
    });
  },
};

interface FilteredSymbols {
  readonly found: readonly DatasetSymbol[];
  /** Globs that match no symbol of the exchange, each with what was meant perhaps. */
  readonly unmatched: readonly { readonly text: string; readonly hint: string }[];
}

/** @throws usage error for a data type, symbol or symbol type that the record doesn't have. */
function filterSymbols(record: ExchangeRecord, args: Args): FilteredSymbols {
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
  const wanted = wantedSymbols(args);
  const isWanted = symbolTest(wanted, record.id, all);
  const onText = readDay(args, 'on');
  const on = onText === undefined ? undefined : parseDay(onText);
  const found = all.filter(
    (symbol) =>
      isWanted(symbol.id) &&
      (types === undefined || symbol.dataTypes.some((type) => types.has(type))) &&
      (symbolTypes === undefined || symbolTypes.has(symbol.type ?? '')) &&
      (on === undefined || isAvailable(symbol, on)),
  );
  const unmatched = (wanted ?? []).filter((text) => isGlob(text) && !all.some(matcherOf(text)));
  return { found, unmatched: unmatched.map((text) => ({ text, hint: globHint(text, all) })) };
}

/** Arguments and `--symbol` together; undefined if there are none. */
function wantedSymbols(args: Args): readonly string[] | undefined {
  const globs = readPaths(args, 'glob');
  const listed = readList(args, 'symbol') ?? [];
  if (globs.length === 0) return listed.length > 0 ? listed : undefined;
  return [...(readList({ glob: globs }, 'glob') ?? []), ...listed];
}

function matcherOf(text: string): (symbol: DatasetSymbol) => boolean {
  const matches = globMatcher(toDatasetSymbol(text));
  return ({ id }) => matches(toDatasetSymbol(id));
}

/** Compares the letters before the glob's first `*` or `?` with the beginnings of symbols. */
function globHint(text: string, all: readonly DatasetSymbol[]): string {
  const [head = ''] = toDatasetSymbol(text).split(/[*?]/);
  const heads = new Set(all.map(({ id }) => id.slice(0, head.length)));
  const near = nearestNames(head, heads);
  if (near.length === 0) return '; see all of them without a glob';
  return `; did you mean ${near.map((name) => `${name}*`).join(', ')}?`;
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
