import { toDecimalText } from '../base/units.js';
import { type Day, MS_PER_DAY } from '../day-files/day.js';
import type { InstrumentInfo } from '../service/records/fetch-instruments.js';

/** Fields of an instrument that change over time, as the service names them. */
const CHANGING = [
  'priceIncrement',
  'amountIncrement',
  'minTradeAmount',
  'contractMultiplier',
  'makerFee',
  'takerFee',
] as const;

/** What an instrument was on a day. Numbers are decimal texts without an exponent; undefined if they are unknown. */
export interface InstrumentVersion extends Readonly<Partial<Record<(typeof CHANGING)[number], string>>> {
  /** When it became so, in milliseconds since the epoch: not after the start of the day, unless it was listed later. */
  readonly since: number;
}

/** Whether an instrument has a symbol of day files or of their rows, in any case. */
export function isNamed({ id, datasetId }: InstrumentInfo, symbol: string): boolean {
  return [id, datasetId].some((name) => name?.toUpperCase() === symbol.toUpperCase());
}

/** Whether an instrument is inverse, by its flag or by the type of its contract. */
export function isInverseContract({ contractType, ...info }: InstrumentInfo): boolean {
  return info['inverse'] === true || contractType?.startsWith('inverse_') === true;
}

interface InstrumentChange extends Readonly<Partial<Record<(typeof CHANGING)[number], unknown>>> {
  readonly until: number;
}

/**
 * The values of an instrument at the start of a day, from the present ones and the list of `changes`: an entry has values
 * that held until its `until` (docs/spec/metadata-api.md#instruments).
 */
export function instrumentOn(info: InstrumentInfo, day: Day): InstrumentVersion {
  const start = day * MS_PER_DAY;
  const changes = readChanges(info);
  const values: Record<string, unknown> = { ...info };
  for (const { until, ...old } of changes.toReversed()) if (until > start) Object.assign(values, old);
  const past = changes.filter(({ until }) => until <= start).at(-1);
  return { ...readValues(values), since: past?.until ?? Date.parse(info.availableSince) };
}

/** The versions of an instrument on the days from `first` to `last`, both included. */
export function instrumentBetween(info: InstrumentInfo, first: Day, last: Day): readonly InstrumentVersion[] {
  const starts = readChanges(info).map(({ until }) => Math.ceil(until / MS_PER_DAY) as Day);
  const days = new Set([first, ...starts.filter((day) => day > first && day <= last)]);
  return [...days].map((day) => instrumentOn(info, day));
}

/** The changes, oldest first. */
function readChanges(info: InstrumentInfo): readonly InstrumentChange[] {
  const { changes } = info;
  if (!Array.isArray(changes)) return [];
  return changes
    .flatMap((change: unknown) => {
      if (typeof change !== 'object' || change === null) return [];
      const { until, ...values } = change as Record<string, unknown>;
      const time = typeof until === 'string' ? Date.parse(until) : Number.NaN;
      if (Number.isNaN(time)) return [];
      const known = CHANGING.filter((name) => values[name] !== undefined && values[name] !== null);
      return [{ ...Object.fromEntries(known.map((name) => [name, values[name]])), until: time }];
    })
    .sort((a, b) => a.until - b.until);
}

function readValues(
  values: Readonly<Record<string, unknown>>,
): Partial<Record<(typeof CHANGING)[number], string>> {
  return Object.fromEntries(
    CHANGING.flatMap((name) => {
      const text = toDecimalText(values[name]);
      return text === undefined ? [] : [[name, text] as const];
    }),
  );
}
