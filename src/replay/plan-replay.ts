import { type TickhaulError, usageError } from '../base/errors.js';
import { didYouMean } from '../base/nearest-names.js';
import { type DataType, findDataType } from '../dataset/data-types.js';
import { GROUPED_SYMBOLS, isGlob, resolveKnownSymbols, toDatasetSymbol } from '../dataset/dataset-symbol.js';
import { formatDay } from '../dataset/day.js';
import type { LayoutChoice } from '../dataset/layout.js';
import type { PlannedFile } from '../download/download-options.js';
import { createDownloadPlan, type DownloadPlanSource } from '../download/plan/create-download-plan.js';
import { findUnavailability } from '../download/plan/find-unavailability.js';
import { EXCHANGE_MESSAGE_TYPES } from '../market/names/message-type-name.js';
import type { ExchangeRecord } from '../service/records/fetch-records.js';
import { periodToDays } from './parse-period.js';
import type { ReplayOption, ReplayRequest, ReplaySeries, ResolvedReplayOption } from './replay-request.js';

/** A series with the planned day files of its period. */
export interface PlannedReplaySeries extends Omit<ReplaySeries, 'files'> {
  readonly files: readonly PlannedFile[];
  /** Why no day of the data type is available; undefined if one is. */
  readonly unavailability: TickhaulError | undefined;
}

export type ReplayPlanContext = Pick<
  DownloadPlanSource,
  'manifest' | 'destination' | 'options' | 'mayRead' | 'signal'
> & {
  readonly layout: LayoutChoice;
  readonly warn: (message: string) => void;
};

/**
 * Plans the series of a request, in the order that breaks ties: exchanges in the request's order, then data
 * type, then symbol.
 * @param records exchange records, in the order of the request's options.
 * @throws usage error for an unknown symbol, a symbol without a requested type, or an exchange without any of
 * the types.
 */
export async function planReplay(
  request: ReplayRequest,
  records: readonly ExchangeRecord[],
  context: ReplayPlanContext,
): Promise<readonly PlannedReplaySeries[]> {
  const planned: PlannedReplaySeries[] = [];
  for (const [index, option] of request.options.entries()) {
    const record = records[index];
    if (record)
      planned.push(...(await planExchange(resolveOption(option, record), record, request, context)));
  }
  return planned;
}

/** @throws usage error for a list that is no symbol and no file. */
function resolveOption(option: ReplayOption, { id, datasets }: ExchangeRecord): ResolvedReplayOption {
  const listSymbols = (): readonly string[] => (datasets?.symbols ?? []).map((symbol) => symbol.id);
  return { ...option, symbols: option.symbols && resolveKnownSymbols(option.symbols, listSymbols, id) };
}

async function planExchange(
  option: ResolvedReplayOption,
  record: ExchangeRecord,
  request: ReplayRequest,
  context: ReplayPlanContext,
): Promise<readonly PlannedReplaySeries[]> {
  const symbols = record.datasets?.symbols ?? [];
  const has = (dataType: DataType): boolean => symbols.some(({ dataTypes }) => dataTypes.includes(dataType));
  const missingTypes = request.types.filter(({ dayFileType }) => !has(dayFileType)).map(({ name }) => name);
  if (missingTypes.length === request.types.length) {
    throw usageError(
      `${record.id} has no ${missingTypes.join(' or ')} messages; run tickhaul symbols ${record.id} to list its data types`,
    );
  }
  if (missingTypes.length > 0)
    context.warn(`${record.id} has no ${missingTypes.join(' or ')} messages; skipping them`);
  const planned: PlannedReplaySeries[] = [];
  for (const dataType of Object.values(EXCHANGE_MESSAGE_TYPES)) {
    if (!has(dataType) || !request.types.some(({ dayFileType }) => dayFileType === dataType)) continue;
    planned.push(...(await planType(dataType, option, record, request, context)));
  }
  return planned;
}

async function planType(
  dataType: DataType,
  option: ResolvedReplayOption,
  record: ExchangeRecord,
  { types, period }: ReplayRequest,
  context: ReplayPlanContext,
): Promise<readonly PlannedReplaySeries[]> {
  const onlySymbol = findDataType(dataType)?.onlySymbol;
  const selectedSymbols = onlySymbol ? selectRowSymbols(option, record, onlySymbol) : undefined;
  const days = periodToDays(period);
  const selection = {
    exchange: record.id,
    types: [dataType],
    symbols: onlySymbol ? [onlySymbol] : (option.symbols ?? ['all']),
    from: formatDay(days.from),
    to: formatDay(days.to),
    layout: context.layout,
  };
  if (!onlySymbol) assertSymbolsHaveType(dataType, option, record);
  const plan = await createDownloadPlan({ ...context, selection, record });
  const bySymbol = new Map<string, PlannedFile[]>(plan.series.map(({ symbol }) => [symbol, []]));
  const unavailability = findUnavailability(plan, record);
  for (const file of plan.files()) bySymbol.get(file.file.symbol)?.push(file);
  return [...bySymbol].map(([symbol, files]) => ({
    period,
    exchange: record.id,
    dataType,
    symbol: GROUPED_SYMBOLS.has(symbol) ? undefined : symbol,
    types: types.filter(({ dayFileType }) => dayFileType === dataType),
    symbols: selectedSymbols,
    files: files.sort((a, b) => a.file.day - b.file.day),
    unavailability,
  }));
}

/** Symbols selected from the rows of the only file, which has all options; undefined for all of them. */
function selectRowSymbols(
  { symbols }: ResolvedReplayOption,
  record: ExchangeRecord,
  onlySymbol: string,
): ReadonlySet<string> | undefined {
  if (!symbols || symbols.some((symbol) => symbol === 'all' || toDatasetSymbol(symbol) === onlySymbol))
    return undefined;
  const known = new Set(record.datasets?.symbols.map(({ id }) => toDatasetSymbol(id)));
  const ids = symbols.map((symbol) => {
    const id = toDatasetSymbol(symbol);
    if (isGlob(id)) throw usageError(`"${symbol}": option_summary does not accept globs; list each symbol`);
    if (!known.has(id)) {
      const near = didYouMean(id, known) || `; run tickhaul symbols ${record.id} to list them`;
      throw usageError(`unknown symbol "${symbol}" on ${record.id}${near}`);
    }
    return id;
  });
  return new Set(ids);
}

/** Globs may skip symbols without the data type; a named symbol must have it. */
function assertSymbolsHaveType(
  dataType: DataType,
  { symbols = [] }: ResolvedReplayOption,
  record: ExchangeRecord,
): void {
  const named = new Set(symbols.map(toDatasetSymbol));
  const symbol = record.datasets?.symbols.find(
    ({ id, dataTypes }) => named.has(toDatasetSymbol(id)) && !dataTypes.includes(dataType),
  );
  if (!symbol) return;
  const grouped = record.datasets?.symbols.find(
    ({ id, dataTypes }) => GROUPED_SYMBOLS.has(id) && dataTypes.includes(dataType),
  );
  throw usageError(
    `${record.id} ${symbol.id} has no ${dataType}${grouped ? ` (it is in ${grouped.id})` : ''}; leave the symbol or the type out`,
  );
}
