import { usageError } from '../../base/errors.js';
import { countNeededDecimals } from '../../base/units.js';
import { GROUP_TYPES, GROUPED_SYMBOLS } from '../../day-files/dataset-symbol.js';
import { type Day, formatDay } from '../../day-files/day.js';
import { type InstrumentInfo, instrumentBetween, isNamed } from '../../service/records/fetch-instruments.js';
import {
  type ExportContext,
  type ExportJob,
  type ExportPlan,
  type ExportSource,
  groupBySymbol,
  type OutputsOf,
  type SideFile,
  type SideFiles,
} from '../export-target.js';
import {
  type CatalogSettings,
  findSuffix,
  formatInstrumentId,
  hasSuffixRule,
  type InstrumentSettings,
  needsInverse,
} from './catalog-instrument.js';
import { BAR_TABLE, CATALOG_TABLES, type CatalogSourceType } from './catalog-tables.js';
import {
  createInstrumentRow,
  encodeInstrument,
  formatInstrumentPath,
  type InstrumentRow,
} from './instrument-file.js';
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
  const series: { file: ExportSource['file']; range: DayRange; facts: SeriesFacts }[] = [];
  for (const days of groupBySymbol(sources)) {
    const { file } = days[0];
    const range = { first: file.day, last: (days.at(-1) as ExportSource).file.day };
    const facts = await findFacts(file, range, options, context);
    series.push({ file, range, facts });
    for (const source of days)
      jobs.push(...createJobs(source, findInstruments(source.file, facts, options), options));
  }
  const { rows, files, warnings } = await planInstruments(series, options);
  const finish = async (outputsOf: OutputsOf): Promise<SideFiles> => {
    const { createNautilusScript, NAUTILUS_SCRIPT } = await import('./nautilus-setup.js');
    const script = createNautilusScript(options.catalog, rows, jobs.flatMap(outputsOf), options.bars);
    if (!script) return { files };
    return {
      files: [...files, script],
      script: { path: NAUTILUS_SCRIPT, command: (path) => ['python3', path] },
    };
  };
  return { jobs, skipped: [], finish, warnings: [...warnOfNoTrades(sources, options), ...warnings] };
}

/** The first and the last of some days. */
interface DayRange {
  readonly first: Day;
  readonly last: Day;
}

function createJobs(
  source: ExportSource,
  instruments: Readonly<Record<string, InstrumentSettings>>,
  options: NautilusOptions,
): readonly ExportJob[] {
  const { exchange, symbol } = source.file;
  const day = formatDay(source.file.day);
  return listOutputs(source, options).map(({ type, folder, bars }) => {
    const { catalog, precision, instrumentId } = options;
    const settings: CatalogSettings = { catalog, precision, bars, instrumentId, instruments };
    // Settings are compared as JSON, which has no undefined values.
    const plain: unknown = JSON.parse(JSON.stringify(settings));
    return {
      target: 'nautilus',
      key: `${type}/${exchange}/${symbol}/${day}`,
      place: `${folder}/${exchange}/${day}`,
      sources: [source],
      settings: plain,
    };
  });
}

/** Whether there are trades is known only when the files are, so bars without them are no usage error. */
function warnOfNoTrades(sources: readonly ExportSource[], { bars }: NautilusOptions): readonly string[] {
  if (bars.length === 0 || sources.some(({ file }) => file.dataType === 'trades')) return [];
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

/** What is known of the instruments of one series. */
interface SeriesFacts {
  readonly type: string | undefined;
  /** Those of the series: one, or those of a grouped symbol. Undefined without metadata. */
  readonly infos: readonly InstrumentInfo[] | undefined;
  describe(info: InstrumentInfo | undefined): InstrumentSettings;
}

/** @param range the exported days of the series: all versions of an instrument in them have the same precision. */
async function findFacts(
  file: ExportSource['file'],
  range: DayRange,
  options: NautilusOptions,
  context: ExportContext,
): Promise<SeriesFacts> {
  const { exchange, symbol } = file;
  const { price, size } = options;
  const isGroup = GROUPED_SYMBOLS.has(symbol);
  const type = await findType(file, options, context);
  const needsId = options.instrumentId === undefined;
  const isAsked = price === undefined || size === undefined || (needsId && needsInverse(exchange, type));
  const known = isAsked ? await context.fetchInstruments(exchange) : await context.findInstruments(exchange);
  const describe = (info: InstrumentInfo | undefined): InstrumentSettings => {
    const versions = info ? instrumentBetween(info, range.first, range.last) : [];
    return {
      price: price ?? countMostDecimals(versions.map(({ priceIncrement }) => priceIncrement)),
      size: size ?? countMostDecimals(versions.map(({ amountIncrement }) => amountIncrement)),
      suffix: findSuffix(exchange, type, info && info['inverse'] === true),
    };
  };
  const infos = known?.filter((info) =>
    isGroup ? info.type === type && isAvailable(info, range) : isNamed(info, symbol),
  );
  return { type, infos, describe };
}

function findInstruments(
  { exchange, symbol, day }: ExportSource['file'],
  { type, infos = [], describe }: SeriesFacts,
  options: NautilusOptions,
): Readonly<Record<string, InstrumentSettings>> {
  if (GROUPED_SYMBOLS.has(symbol)) {
    // Those of other days would change the settings of the job, and export it again.
    const present = infos.filter((info) => isAvailable(info, { first: day, last: day }));
    const named = present.flatMap((info) =>
      [info.id, info.datasetId ?? info.id].map((name) => [name.toUpperCase(), describe(info)] as const),
    );
    return { ...Object.fromEntries(named), '*': describe(undefined) };
  }
  const settings = describe(infos[0]);
  if (options.instrumentId === undefined && settings.suffix === undefined) {
    const missing =
      type === undefined ? 'its type is not in the exchange record' : 'its metadata are not available';
    throw usageError(
      `${exchange} ${symbol}: its instrument id cannot be known, as ${missing}; set --instrument-id`,
    );
  }
  return { '*': settings };
}

/**
 * Plans a file for each instrument, as it was on the first exported day: the Python catalog uses the oldest row of an id,
 * the Rust one the newest.
 */
async function planInstruments(
  series: readonly {
    readonly file: ExportSource['file'];
    readonly range: DayRange;
    readonly facts: SeriesFacts;
  }[],
  { catalog, instrumentId }: NautilusOptions,
): Promise<{
  readonly rows: readonly InstrumentRow[];
  readonly files: readonly SideFile[];
  readonly warnings: readonly string[];
}> {
  const rows: InstrumentRow[] = [];
  const files: SideFile[] = [];
  const warnings: string[] = [];
  const unknown = new Set<string>();
  for (const { file, range, facts } of series) {
    const { exchange, symbol } = file;
    const infos = facts.infos ?? [];
    if (infos.length === 0) unknown.add(`${exchange} ${symbol}`);
    for (const info of infos) {
      const { price, size, suffix } = facts.describe(info);
      const id =
        instrumentId ?? (suffix === undefined ? undefined : formatInstrumentId(exchange, info.id, suffix));
      const isKnown = id !== undefined && price !== undefined && size !== undefined;
      const row = isKnown
        ? createInstrumentRow(info, range.first, id, { price, size })
        : 'its precision or id is unknown';
      if (typeof row === 'string') {
        warnings.push(`${exchange} ${info.id}: the catalog does not get its instrument: ${row}`);
        continue;
      }
      const path = formatInstrumentPath(catalog, row);
      const bytes = await encodeInstrument(row, catalog);
      rows.push(row);
      files.push({ key: `instrument/${exchange}/${info.id}`, path, bytes });
    }
  }
  if (unknown.size > 0) {
    const names = [...unknown].slice(0, MAX_NAMED).join(', ');
    warnings.push(
      `the catalog does not get the instruments of ${names}${unknown.size > MAX_NAMED ? ' …' : ''}, which a backtest needs: there are no metadata; set TICKHAUL_API_KEY and export again`,
    );
  }
  return { rows, files, warnings };
}

const MAX_NAMED = 5;

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

function isAvailable({ availableSince, availableTo }: InstrumentInfo, { first, last }: DayRange): boolean {
  return (
    availableSince.slice(0, 10) <= formatDay(last) &&
    (availableTo === undefined || availableTo >= formatDay(first))
  );
}

/** The most decimals of increments; undefined if none of them states any. */
function countMostDecimals(increments: readonly (string | undefined)[]): number | undefined {
  const known = increments.filter((text) => text !== undefined && Number(text) > 0);
  return known.length === 0
    ? undefined
    : Math.max(...known.map((text) => countNeededDecimals(text as string)));
}
