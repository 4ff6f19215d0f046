import { usageError } from '../base/errors.js';
import { didYouMean } from '../base/nearest.js';
import type { DataType } from '../dataset/data-types.js';
import { formatDay } from '../dataset/day.js';
import type { LayoutChoice } from '../dataset/layout.js';
import { GROUPED_SYMBOLS, isGlob, toDatasetSymbol } from '../dataset/symbols.js';
import { makePlan, type PlanInput } from '../download/plan/plan.js';
import type { PlannedFile } from '../download/types.js';
import { SOURCE_TYPES } from '../market/names/data-type-name.js';
import type { ExchangeRecord } from '../service/records/metadata.js';
import { daysOf } from './period.js';
import type { ReplayOption, ReplayRequest, ReplaySeries } from './types.js';

/** A series with the day files that its period may have. */
export interface PlannedSeries extends Omit<ReplaySeries, 'files'> {
  readonly files: readonly PlannedFile[];
}

export type PlanContext = Pick<PlanInput, 'manifest' | 'destination' | 'mayRead' | 'signal'> & {
  readonly layout: LayoutChoice;
  readonly warn: (message: string) => void;
};

/**
 * The series of a request, in the order that breaks ties: by exchange as asked for, by data type, by symbol.
 * @param records of the exchanges, in the order of the request's options.
 * @throws usage error for a symbol that isn't known or lacks a type, and where an exchange has none of the types.
 */
export async function planReplay(
  request: ReplayRequest,
  records: readonly ExchangeRecord[],
  context: PlanContext,
): Promise<readonly PlannedSeries[]> {
  const planned: PlannedSeries[] = [];
  for (const [at, option] of request.options.entries()) {
    const record = records[at];
    if (record) planned.push(...(await planExchange(option, record, request, context)));
  }
  return planned;
}

async function planExchange(
  option: ReplayOption,
  record: ExchangeRecord,
  request: ReplayRequest,
  context: PlanContext,
): Promise<readonly PlannedSeries[]> {
  const symbols = record.datasets?.symbols ?? [];
  const has = (dataType: DataType): boolean => symbols.some(({ dataTypes }) => dataTypes.includes(dataType));
  const lacking = request.types.filter(({ dayFiles }) => !has(dayFiles)).map(({ name }) => name);
  if (lacking.length === request.types.length) {
    throw usageError(`${record.id} has no ${lacking.join(', ')}; see: tickhaul symbols ${record.id}`);
  }
  if (lacking.length > 0) context.warn(`${record.id} has no ${lacking.join(', ')}, which is left out`);
  const planned: PlannedSeries[] = [];
  for (const dataType of Object.values(SOURCE_TYPES)) {
    if (!has(dataType) || !request.types.some(({ dayFiles }) => dayFiles === dataType)) continue;
    planned.push(...(await planType(dataType, option, record, request, context)));
  }
  return planned;
}

async function planType(
  dataType: DataType,
  option: ReplayOption,
  record: ExchangeRecord,
  { types, period }: ReplayRequest,
  context: PlanContext,
): Promise<readonly PlannedSeries[]> {
  const isGrouped = dataType === 'options_chain';
  const wanted = isGrouped ? optionSymbols(option, record) : undefined;
  const days = daysOf(period);
  const selection = {
    exchange: record.id,
    types: [dataType],
    symbols: isGrouped ? ['OPTIONS'] : (option.symbols ?? ['all']),
    from: formatDay(days.from),
    to: formatDay(days.to),
    layout: context.layout,
  };
  if (!isGrouped) refuseLacking(dataType, option, record);
  const plan = await makePlan({ ...context, selection, record, existing: 'skip' });
  const bySymbol = new Map<string, PlannedFile[]>(plan.series.map(({ symbol }) => [symbol, []]));
  for (const file of plan.files()) bySymbol.get(file.file.symbol)?.push(file);
  return [...bySymbol].map(([symbol, files]) => ({
    period,
    exchange: record.id,
    dataType,
    symbol: GROUPED_SYMBOLS.has(symbol) ? undefined : symbol,
    types: types.filter(({ dayFiles }) => dayFiles === dataType),
    symbols: wanted,
    files: files.sort((a, b) => a.file.day - b.file.day),
  }));
}

/** Options lie in one file; undefined for all of them. */
function optionSymbols({ symbols }: ReplayOption, record: ExchangeRecord): ReadonlySet<string> | undefined {
  if (!symbols || symbols.some((symbol) => symbol === 'all' || toDatasetSymbol(symbol) === 'OPTIONS'))
    return undefined;
  const known = new Set(record.datasets?.symbols.map(({ id }) => toDatasetSymbol(id)));
  const wanted = symbols.map((symbol) => {
    const id = toDatasetSymbol(symbol);
    if (isGlob(id))
      throw usageError(`"${symbol}": option_summary takes whole symbols and no globs; name them`);
    if (!known.has(id)) {
      const near = didYouMean(id, known) || `; see: tickhaul symbols ${record.id}`;
      throw usageError(`unknown symbol "${symbol}" for ${record.id}${near}`);
    }
    return id;
  });
  return new Set(wanted);
}

/** A symbol that is named has to have what is asked for. */
function refuseLacking(dataType: DataType, { symbols = [] }: ReplayOption, record: ExchangeRecord): void {
  const wanted = new Set(symbols.map(toDatasetSymbol));
  const lacking = record.datasets?.symbols.find(
    ({ id, dataTypes }) => wanted.has(toDatasetSymbol(id)) && !dataTypes.includes(dataType),
  );
  if (!lacking) return;
  const grouped = record.datasets?.symbols.find(
    ({ id, dataTypes }) => GROUPED_SYMBOLS.has(id) && dataTypes.includes(dataType),
  );
  throw usageError(
    `${record.id} ${lacking.id} has no ${dataType}${grouped ? ` (it is in ${grouped.id})` : ''}; leave the symbol or the type out`,
  );
}
