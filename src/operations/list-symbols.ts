import { TickhaulError, usageError } from '../base/errors.js';
import { Semaphore } from '../base/semaphore.js';
import { didYouMean, nearestNames } from '../base/text.js';
import { plural } from '../base/units.js';
import { createGlobMatcher, isGlob, toDatasetSymbol } from '../day-files/dataset-symbol.js';
import { type Day, parseDay, parseTimeToDay } from '../day-files/day.js';
import type { COMMAND_OPTIONS } from '../options/command-options.js';
import type { CommandValues } from '../options/read-options.js';
import {
  type DatasetSymbol,
  type ExchangeRecord,
  FIELDS,
  fetchExchanges,
  fetchRecord,
} from '../service/records/fetch-records.js';
import type { Context } from './context.js';

type SymbolsValues = CommandValues<typeof COMMAND_OPTIONS.symbols>;

/** A symbol as its exchange's record has it, and the exchange. */
export type ListedSymbol = { readonly exchange: string } & DatasetSymbol;

/** The symbols that were found. */
export interface SymbolSearch {
  /** In the order of the exchanges, then of their records. */
  readonly symbols: readonly ListedSymbol[];
  /** Whether several exchanges may have been meant: a glob, a list or none. */
  readonly hasSeveralExchanges: boolean;
  /** Why the symbols of some exchanges are missing; undefined if all are there. */
  readonly error: TickhaulError | undefined;
}

/**
 * Searches the dataset symbols of one, several or all exchanges that match the filters. Stored records that are fresh are
 * used; others are fetched, several at once. Globs that match nothing are warnings.
 * @throws usage error for a name that no record has; the error of the record if a single exchange was named.
 */
export async function searchSymbols(options: SymbolsValues, context: Context): Promise<SymbolSearch> {
  const patterns = (options.exchange ?? ['*']).map((text) => text.toLowerCase());
  const [only] = patterns.length === 1 && !patterns.some(isGlob) ? patterns : [];
  const { records, error } = await fetchSelectedRecords(patterns, only, context);
  const allSymbols = records.flatMap(({ datasets }) => datasets?.symbols ?? []);
  // A record that is missing may have the name.
  if (!error) await assertKnownNames(options, allSymbols, only, context);
  const isSelected = createFilter(options);
  const symbols = records.flatMap(({ id, datasets }) =>
    (datasets?.symbols ?? []).filter(isSelected).map((symbol) => ({ exchange: id, ...symbol })),
  );
  const place = only ?? plural(records.length, 'exchange');
  const unmatched = selectNames(options).filter(
    (text) => isGlob(text) && !allSymbols.some(createSymbolMatcher(text)),
  );
  const warn = (message: string): void => context.emit({ event: 'warning', message });
  for (const text of unmatched) {
    const ids = allSymbols.map(({ id }) => id);
    const hint = suggestBeginnings(toDatasetSymbol(text), ids) || '; see all of them without a glob';
    warn(`no symbol on ${place} matches "${text}"${hint}`);
  }
  if (symbols.length === 0 && unmatched.length === 0) warn(`no symbol on ${place} matches all filters`);
  return { symbols, hasSeveralExchanges: only === undefined, error };
}

/** Records that are fetched at once; a large one has 100 MB. */
const CONCURRENT_RECORDS = 8;

/** An exchange whose record could not be fetched. */
interface MissingRecord {
  readonly id: string;
  readonly error: TickhaulError;
}

/**
 * Fetches the records of exchanges with datasets.
 * @param only the exchange, if a single one is named. @returns also an error if records are missing.
 * @throws usage error for an unknown exchange, and a named one without datasets.
 */
async function fetchSelectedRecords(
  patterns: readonly string[],
  only: string | undefined,
  context: Context,
): Promise<{ readonly records: readonly ExchangeRecord[]; readonly error: TickhaulError | undefined }> {
  const { signal, emit } = context;
  const client = await context.client();
  const fetching = { cache: (await context.settings()).cacheDir, signal };
  const listed = patterns.some(isGlob) ? await fetchExchanges(client, fetching) : [];
  const ids = listed.flatMap(({ id, supportsDatasets }) => (supportsDatasets === false ? [] : [id]));
  const selected = new Set(patterns.flatMap((pattern) => findExchangeIds(pattern, ids)));
  const missing: MissingRecord[] = [];
  const fetchOne = async (id: string): Promise<readonly ExchangeRecord[]> => {
    try {
      const record = await fetchRecord(client, id, FIELDS.plan, fetching);
      if (record.datasets !== undefined) return [record];
      if (patterns.includes(id)) throw usageError(`no datasets are available for exchange "${record.id}"`);
      return [];
    } catch (error) {
      const isOfRecord = error instanceof TickhaulError && error.code !== 'usage' && !signal.aborted;
      if (only !== undefined || !isOfRecord) throw error;
      emit({ event: 'warning', message: `${id}: ${error.message}` });
      missing.push({ id, error });
      return [];
    }
  };
  const limit = new Semaphore(CONCURRENT_RECORDS);
  const records = await Promise.all([...selected].map((id) => limit.run(() => fetchOne(id))));
  return { records: records.flat(), error: createMissingError(missing, selected.size) };
}

/** The exchanges that a pattern matches. @throws usage error for a glob that matches none. */
function findExchangeIds(pattern: string, ids: readonly string[]): readonly string[] {
  if (!isGlob(pattern)) return [pattern];
  const found = ids.filter(createGlobMatcher(pattern));
  if (found.length > 0) return found;
  const hint =
    suggestBeginnings(pattern, ids) ||
    `; run tickhaul exchanges to list them, or tickhaul symbols "*" "${pattern}" to search symbols`;
  throw usageError(`no exchange with datasets matches "${pattern}"${hint}`);
}

/** The error of an incomplete list, with the common code of the failures, else `mixed`. */
function createMissingError(missing: readonly MissingRecord[], total: number): TickhaulError | undefined {
  const [first] = missing;
  if (!first) return undefined;
  const isCommon = missing.every(({ error }) => error.exitCode === first.error.exitCode);
  const ids = missing.map(({ id }) => id).join(', ');
  return new TickhaulError(
    isCommon ? first.error.code : 'mixed',
    `the symbols of ${ids} are missing (${missing.length} of ${plural(total, 'exchange')}): ${first.error.message}`,
    { status: first.error.status },
  );
}

/** Positional globs and `--symbol` together. */
function selectNames({
  glob = [],
  symbols = [],
}: Pick<SymbolsValues, 'glob' | 'symbols'>): readonly string[] {
  return [...glob, ...symbols];
}

/** @param only the exchange, if a single one is named. @throws usage error for a name that no symbol has. */
async function assertKnownNames(
  options: SymbolsValues,
  allSymbols: readonly DatasetSymbol[],
  only: string | undefined,
  context: Context,
): Promise<void> {
  const listAll = (names: ReadonlySet<string>): string =>
    `; ${only === undefined ? 'there are' : 'it has'} ${[...names].sort().join(', ')}`;
  assertKnown(
    'data type',
    options.types,
    () => new Set(allSymbols.flatMap(({ dataTypes }) => dataTypes)),
    listAll,
  );
  assertKnown(
    'symbol type',
    options.symbolTypes,
    () => new Set(allSymbols.flatMap(({ type }) => type ?? [])),
    listAll,
  );
  const names = selectNames(options).filter((text) => !isGlob(text));
  if (names.length === 0) return;
  const ids = new Set(allSymbols.map(({ id }) => id));
  const unknown = names.find((name) => !ids.has(toDatasetSymbol(name)));
  if (unknown === undefined) return;
  const symbol = toDatasetSymbol(unknown);
  const hint =
    (await explainExchange(unknown, options, context)) ||
    didYouMean(symbol, ids) ||
    (only === undefined ? '; no exchange has it' : `; run tickhaul symbols ${only} to list them`);
  throw usageError(`unknown symbol "${symbol}"${hint}`);
}

/** The message for an exchange in the place of a symbol; empty for any other name. */
async function explainExchange(
  name: string,
  { exchange = [] }: SymbolsValues,
  context: Context,
): Promise<string> {
  const { signal } = context;
  const fetching = { cache: (await context.settings()).cacheDir, signal };
  const listed = await fetchExchanges(await context.client(), fetching).catch(() => []);
  const id = name.toLowerCase();
  return listed.some((known) => known.id === id)
    ? `; ${id} is an exchange: name several in one argument, as in ${[...exchange, id].join(',')}`
    : '';
}

/** @param formatHint text for an unknown name without near ones. */
function assertKnown(
  kind: string,
  selected: readonly string[] = [],
  listKnown: () => ReadonlySet<string>,
  formatHint: (known: ReadonlySet<string>) => string,
): void {
  if (selected.length === 0) return;
  const known = listKnown();
  const unknown = selected.find((name) => !known.has(name));
  if (unknown !== undefined)
    throw usageError(`unknown ${kind} "${unknown}"${didYouMean(unknown, known) || formatHint(known)}`);
}

function createFilter(options: SymbolsValues): (symbol: DatasetSymbol) => boolean {
  const { types, symbolTypes } = options;
  const patterns = selectNames(options);
  const names = new Set(patterns.filter((text) => !isGlob(text)).map(toDatasetSymbol));
  const globs = patterns.filter(isGlob).map(createSymbolMatcher);
  const on = options.on === undefined ? undefined : parseDay(options.on);
  return (symbol) =>
    (patterns.length === 0 || names.has(symbol.id) || globs.some((matches) => matches(symbol))) &&
    (types === undefined || symbol.dataTypes.some((type) => types.includes(type))) &&
    (symbolTypes === undefined || symbolTypes.includes(symbol.type ?? '')) &&
    (on === undefined || isAvailable(symbol, on));
}

function createSymbolMatcher(text: string): (symbol: DatasetSymbol) => boolean {
  const matches = createGlobMatcher(toDatasetSymbol(text));
  return ({ id }) => matches(toDatasetSymbol(id));
}

/** Compares the characters before the glob's first `*` or `?` with the beginnings of names; empty if none is near. */
function suggestBeginnings(glob: string, names: readonly string[]): string {
  const [head = ''] = glob.split(/[*?]/);
  const near = nearestNames(head, new Set(names.map((name) => name.slice(0, head.length))));
  return near.length === 0 ? '' : `; did you mean ${near.map((name) => `${name}*`).join(', ')}?`;
}

function isAvailable({ availableSince, availableTo }: DatasetSymbol, day: Day): boolean {
  const first = availableSince === undefined ? undefined : parseTimeToDay(availableSince);
  const last = availableTo === undefined ? undefined : parseTimeToDay(availableTo);
  return (first === undefined || day >= first) && (last === undefined || day <= last);
}
