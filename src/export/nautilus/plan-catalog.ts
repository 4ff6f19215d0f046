import { usageError } from '../../base/errors.js';
import { GROUP_TYPES, GROUPED_SYMBOLS } from '../../day-files/dataset-symbol.js';
import { type Day, formatDay } from '../../day-files/day.js';
import type { InstrumentInfo } from '../../service/records/fetch-instruments.js';
import type { ExportContext, ExportJob, ExportPlan, ExportSource } from '../export-target.js';
import {
  type CatalogSettings,
  findSuffix,
  hasSuffixRule,
  type InstrumentSettings,
  needsInverse,
} from './catalog-instrument.js';
import { BAR_TABLE, CATALOG_TABLES, type CatalogSourceType } from './catalog-tables.js';
import { countNeededDecimals } from './fixed-point.js';
import { formatBarStep, type NautilusOptions, parseBarName } from './nautilus-options.js';

/**
 * Plans a job for each day file, and for each name of bars.
 * @throws usage error if two files give the same data, or if an instrument id cannot be known; errors of the context.
 */
export async function planCatalog(
  sources: readonly ExportSource[],
  options: NautilusOptions,
  context: ExportContext,
): Promise<ExportPlan> {
  checkSources(sources, options);
  const jobs: ExportJob[] = [];
  for (const source of sources) {
    const instruments = await findInstruments(source, options, context);
    const { exchange, symbol } = source.file;
    const day = formatDay(source.file.day);
    for (const { type, folder, bars } of listOutputs(source, options)) {
      const { catalog, precision, instrumentId } = options;
      const settings: CatalogSettings = { catalog, precision, bars, instrumentId, instruments };
      // Settings are compared as JSON, which has no undefined values.
      const plain: unknown = JSON.parse(JSON.stringify(settings));
      jobs.push({
        target: 'nautilus',
        key: `${type}/${exchange}/${symbol}/${day}`,
        place: `${folder}/${exchange}/${day}`,
        sources: [source],
        settings: plain,
      });
    }
  }
  return { jobs, skipped: [], warnings: warnOfNoTrades(sources, options) };
}

/** Whether there are trades is known only when the files are, so bars without them are no usage error. */
function warnOfNoTrades(
  sources: readonly ExportSource[],
  { bars }: NautilusOptions,
): readonly string[] | undefined {
  if (bars.length === 0 || sources.some(({ file }) => file.dataType === 'trades')) return undefined;
  return [`no ${bars.join(', ')}: bars are made of trades, and none are among the selected day files`];
}

/** @throws usage error for an instrument id of several symbols, and for two files that give the same data. */
export function checkSources(sources: readonly ExportSource[], options: NautilusOptions): void {
  assertOneSymbol(sources, options);
  const sourcesByData = new Map<string, ExportSource>();
  for (const source of sources) {
    const { exchange, symbol, day } = source.file;
    for (const { folder } of listOutputs(source, options)) {
      const data = `${folder}/${exchange}/${symbol}/${formatDay(day)}`;
      const other = sourcesByData.get(data);
      if (other) throw createConflictError(source, other);
      sourcesByData.set(data, source);
    }
  }
}

function assertOneSymbol(sources: readonly ExportSource[], { instrumentId }: NautilusOptions): void {
  const symbols = new Set(sources.map(({ file }) => `${file.exchange} ${file.symbol}`));
  const hasGroup = sources.some(({ file }) => GROUPED_SYMBOLS.has(file.symbol));
  if (instrumentId === undefined || (symbols.size <= 1 && !hasGroup)) return;
  const found = hasGroup ? 'a file of many symbols' : `${symbols.size} symbols`;
  throw usageError(`--instrument-id: requires one symbol, not ${found}; select one with -s`);
}

interface PlannedOutput {
  /** Data type, or that of bars. */
  readonly type: string;
  /** The same for data types that a catalog has in one folder. */
  readonly folder: string;
  readonly bars?: string;
}

/** What a day file gives. */
function listOutputs({ file }: ExportSource, { bars, hasTrades }: NautilusOptions): readonly PlannedOutput[] {
  const { dataType } = file;
  const rows = { type: dataType, folder: CATALOG_TABLES[dataType as CatalogSourceType].type };
  if (dataType !== 'trades') return [rows];
  const made = bars.map((name) => {
    const type = `${BAR_TABLE.type}/${formatBarStep(parseBarName(name))}`;
    return { type, folder: type, bars: name };
  });
  return hasTrades ? [rows, ...made] : made;
}

function createConflictError(source: ExportSource, other: ExportSource): Error {
  const { dataType, exchange, symbol, day } = source.file;
  const what = `${exchange} ${symbol} ${formatDay(day)}`;
  if (dataType === other.file.dataType)
    return usageError(`${source.path}: ${other.path} is also ${dataType} of ${what}; export one of them`);
  return usageError(
    `${what}: ${other.file.dataType} and ${dataType} have the same place in a catalog; select one with -t`,
  );
}

async function findInstruments(
  { file }: ExportSource,
  options: NautilusOptions,
  context: ExportContext,
): Promise<Readonly<Record<string, InstrumentSettings>>> {
  const { exchange, symbol, day } = file;
  const { price, size } = options;
  const isGroup = GROUPED_SYMBOLS.has(symbol);
  const type = await findType(file, options, context);
  const needsId = options.instrumentId === undefined;
  const isAsked = price === undefined || size === undefined || (needsId && needsInverse(exchange, type));
  const known = isAsked ? await context.fetchInstruments(exchange) : undefined;
  const describe = (info: InstrumentInfo | undefined): InstrumentSettings => ({
    price: price ?? countIncrement(info?.['priceIncrement']),
    size: size ?? countIncrement(info?.['amountIncrement']),
    suffix: findSuffix(exchange, type, info && info['inverse'] === true),
  });
  const found = (known ?? []).filter((info) =>
    isGroup ? info.type === type && isAvailable(info, day) : isNamed(info, symbol),
  );
  if (isGroup) {
    const named = found.flatMap((info) =>
      [info.id, info.datasetId ?? info.id].map((name) => [name.toUpperCase(), describe(info)] as const),
    );
    return { ...Object.fromEntries(named), '*': describe(undefined) };
  }
  const settings = describe(found[0]);
  if (needsId && settings.suffix === undefined) {
    const missing =
      type === undefined ? 'its type is not in the exchange record' : 'its metadata are not available';
    throw usageError(
      `${exchange} ${symbol}: its instrument id cannot be known, as ${missing}; set --instrument-id`,
    );
  }
  return { '*': settings };
}

/** The type of a symbol; undefined if it is unknown or not needed. */
async function findType(
  { exchange, symbol }: ExportSource['file'],
  { instrumentId }: NautilusOptions,
  context: ExportContext,
): Promise<string | undefined> {
  const group = GROUP_TYPES[symbol];
  if (group !== undefined || instrumentId !== undefined || !hasSuffixRule(exchange)) return group;
  return (await context.fetchSymbolTypes(exchange))?.get(symbol.toUpperCase());
}

function isNamed({ id, datasetId }: InstrumentInfo, symbol: string): boolean {
  return [id, datasetId].some((name) => name?.toUpperCase() === symbol.toUpperCase());
}

function isAvailable({ availableSince, availableTo }: InstrumentInfo, day: Day): boolean {
  const date = formatDay(day);
  return availableSince.slice(0, 10) <= date && (availableTo === undefined || availableTo >= date);
}

/** Decimals of an increment, a number or its text; undefined if it states none. */
function countIncrement(value: unknown): number | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || !(Number(text) > 0) || !/^\d+(\.\d+)?(e[-+]?\d+)?$/i.test(text))
    return undefined;
  return countNeededDecimals(text);
}
