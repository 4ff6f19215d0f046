import { usageError } from '../../base/errors.js';
import { didYouMean, nearestNames } from '../../base/nearest-names.js';
import { createGlobMatcher, isGlob, toDatasetSymbol } from '../../day-files/dataset-symbol.js';
import { type Day, parseDay, parseTimeToDay } from '../../day-files/day.js';
import { toJsonLine } from '../../events/json-events.js';
import { EXCHANGE_ARGUMENT } from '../../options/day-file-options.js';
import { groupOptions } from '../../options/option-definition.js';
import type { ReadOptions } from '../../options/option-values.js';
import type { DatasetSymbol, ExchangeRecord } from '../../service/records/fetch-records.js';
import { defineCommand } from '../arguments/define-flags.js';
import { textColumns } from '../output/text/screen.js';
import { formatTable } from '../output/text/table.js';
import { withOutputContext } from '../run-command.js';

const OPTIONS = {
  ...EXCHANGE_ARGUMENT,
  glob: { type: 'list', description: 'only these symbols, like --symbol', positional: true },
  ...groupOptions('Filters:', {
    type: {
      type: 'list',
      description: 'only symbols with one of these data types',
      alias: 't',
      settingName: 'types',
    },
    symbol: {
      type: 'list',
      description: 'only these symbols, comma-separated; globs such as "BTC*"',
      alias: 's',
      settingName: 'symbols',
    },
    'symbol-type': {
      type: 'list',
      description: 'only symbols of these types: spot, future, perpetual, option …',
      settingName: 'symbolTypes',
    },
    on: { type: 'single-day', description: 'only symbols available on this UTC day, YYYY-MM-DD' },
  }),
} as const;

export const symbolsCommand = defineCommand(OPTIONS, {
  examples: [
    ['$0 symbols deribit --symbol-type perpetual', 'only perpetuals'],
    ['$0 symbols deribit "BTC-*" ETH-PERPETUAL', 'the symbols of a glob, and one more'],
    ['$0 symbols binance-futures "BTC*" -t trades --on 2024-03-01 --json', 'print one JSON document'],
  ],
  async run(options, cli) {
    return withOutputContext(options, cli, async (context) => {
      const client = await context.client();
      const { cacheDir: cache } = await context.settings();
      const { FIELDS, fetchRecord } = await import('../../service/records/fetch-records.js');
      const exchange = String(options.exchange).toLowerCase();
      const record = await fetchRecord(client, exchange, FIELDS.plan, { cache, signal: cli.signal });
      const { symbols, unmatched } = filterSymbols(record, options);
      const warnings = unmatched.map(
        ({ text, hint }) => `no symbol on ${record.id} matches "${text}"${hint}`,
      );
      if (symbols.length === 0 && unmatched.length === 0)
        warnings.push(`no symbol on ${record.id} matches all filters`);
      for (const message of warnings) cli.warn(message);
      await cli.output.result({
        json: () => toJsonLine(symbols),
        text: () => formatSymbols(symbols, textColumns(cli.stdout)),
      });
      return 0;
    });
  },
});

interface FilteredSymbols {
  readonly symbols: readonly DatasetSymbol[];
  /** Globs that match no symbol, each with the nearest names. */
  readonly unmatched: readonly { readonly text: string; readonly hint: string }[];
}

/** @throws usage error for a data type, symbol or symbol type that the record lacks. */
function filterSymbols(record: ExchangeRecord, options: ReadOptions<typeof OPTIONS>): FilteredSymbols {
  const allSymbols = record.datasets?.symbols;
  if (allSymbols === undefined) throw usageError(`no datasets are available for exchange "${record.id}"`);
  const types = toKnownNames(
    options.types,
    'data type',
    () => allSymbols.flatMap(({ dataTypes }) => dataTypes),
    formatNames,
  );
  const symbolTypes = toKnownNames(
    options.symbolTypes,
    'symbol type',
    () => allSymbols.flatMap(({ type }) => type ?? []),
    formatNames,
  );
  const selected = selectSymbols(options);
  const isSelected = createSymbolTest(selected, record.id, allSymbols);
  const on = options.on === undefined ? undefined : parseDay(options.on);
  const symbols = allSymbols.filter(
    (symbol) =>
      isSelected(symbol.id) &&
      (types === undefined || symbol.dataTypes.some((type) => types.has(type))) &&
      (symbolTypes === undefined || symbolTypes.has(symbol.type ?? '')) &&
      (on === undefined || isAvailable(symbol, on)),
  );
  const unmatched = (selected ?? []).filter(
    (text) => isGlob(text) && !allSymbols.some(createSymbolMatcher(text)),
  );
  return { symbols, unmatched: unmatched.map((text) => ({ text, hint: globHint(text, allSymbols) })) };
}

/** Positional globs and `--symbol` together; undefined if there are none. */
function selectSymbols({
  glob = [],
  symbols = [],
}: ReadOptions<typeof OPTIONS>): readonly string[] | undefined {
  const selected = [...glob, ...symbols];
  return selected.length > 0 ? selected : undefined;
}

function createSymbolMatcher(text: string): (symbol: DatasetSymbol) => boolean {
  const matches = createGlobMatcher(toDatasetSymbol(text));
  return ({ id }) => matches(toDatasetSymbol(id));
}

/** Compares the characters before the glob's first `*` or `?` with the beginnings of symbols. */
function globHint(text: string, allSymbols: readonly DatasetSymbol[]): string {
  const [head = ''] = toDatasetSymbol(text).split(/[*?]/);
  const heads = new Set(allSymbols.map(({ id }) => id.slice(0, head.length)));
  const hintNames = nearestNames(head, heads);
  if (hintNames.length === 0) return '; see all of them without a glob';
  return `; did you mean ${hintNames.map((name) => `${name}*`).join(', ')}?`;
}

/** Lists all names, for short lists. */
function formatNames(names: ReadonlySet<string>): string {
  return `; it has ${[...names].sort().join(', ')}`;
}

/**
 * Returns the given names as a set, after checking that each is known; undefined means all.
 * @param formatHint text for an unknown name without near ones.
 */
function toKnownNames(
  selected: readonly string[] | undefined,
  kind: string,
  listNames: () => readonly string[],
  formatHint: (names: ReadonlySet<string>) => string,
): ReadonlySet<string> | undefined {
  if (selected === undefined) return undefined;
  const names = new Set(listNames());
  for (const name of selected) {
    if (names.has(name)) continue;
    throw usageError(`unknown ${kind} "${name}"${didYouMean(name, names) || formatHint(names)}`);
  }
  return new Set(selected);
}

function createSymbolTest(
  selected: readonly string[] | undefined,
  exchange: string,
  allSymbols: readonly DatasetSymbol[],
): (id: string) => boolean {
  if (selected === undefined) return () => true;
  const patterns = selected.map(toDatasetSymbol);
  const names = toKnownNames(
    patterns.filter((pattern) => !isGlob(pattern)),
    'symbol',
    () => allSymbols.map(({ id }) => id),
    () => `; run tickhaul symbols ${exchange} to list them`,
  );
  const globs = patterns.filter(isGlob).map(createGlobMatcher);
  return (id) => names?.has(id) === true || globs.some((matches) => matches(id));
}

function isAvailable({ availableSince, availableTo }: DatasetSymbol, day: Day): boolean {
  const first = availableSince === undefined ? undefined : parseTimeToDay(availableSince);
  const last = availableTo === undefined ? undefined : parseTimeToDay(availableTo);
  return (first === undefined || day >= first) && (last === undefined || day <= last);
}

function formatSymbols(symbols: readonly DatasetSymbol[], columns: number): string {
  return formatTable(
    [
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
