import { usageError } from '../base/errors.js';
import { SOURCE_TYPES, type NormalizedType, type SourceTypeName } from '../market/names/data-type-name.js';
import type { Period } from '../market/trade-bars.js';
import { type Filter, mergeFilters } from './filters.js';
import type { Normalizer } from './normalizer.js';
import { ownNormalizer } from './own/eras.js';
import { refusalOf } from './refusals.js';
import { loadVendor, type MapperFactories } from './vendor/load.js';
import { vendorNormalizer } from './vendor/normalizer.js';

export interface FeedPlanOptions {
  readonly exchange: string;
  readonly types: readonly NormalizedType[];
  /** In any case; left out or empty, all. */
  readonly symbols?: readonly string[] | undefined;
  /** Local times, in microseconds. */
  readonly period: Period;
}

/** How one exchange's messages of a period become records. */
export interface FeedPlan {
  /** Stretches that follow each other, together the period; each begins with new normalizers. */
  readonly segments: readonly Segment[];
  /** Source types that the exchange doesn't have, and what was to be computed of them. */
  readonly lacking: readonly SourceTypeName[];
}

export interface Segment extends Period {
  /** What to ask the raw data API for: the union of what the normalizers need. */
  readonly filters: readonly Filter[];
  /** New normalizers, in the order in which a message goes to them. */
  normalizers(): readonly Normalizer[];
}

const DAY = 86_400_000_000;

/**
 * Plans the reading of feeds. The period is cut at each UTC midnight at which an exchange's API changed: there fresh
 * normalizers differ, in kind or in what they ask for, from those of the day before.
 * @throws usage error where a type can't be read within the period, the exchange has none of them, or the vendor's
 *   package is needed and isn't there.
 */
export async function planFeed({ exchange, types, symbols, period }: FeedPlanOptions): Promise<FeedPlan> {
  const asked = sourceTypesOf(types);
  for (const type of asked) {
    const refusal = refusalOf(exchange, type, period.end);
    if (refusal) throw refusal;
  }
  const starts = [period.start, ...midnightsWithin(period)];
  const areOurs = starts.every((at) => asked.every((type) => ownNormalizer(exchange, type, at)));
  const vendor = areOurs ? undefined : await loadVendor();
  const normalizersAt = (at: number): readonly (Normalizer | undefined)[] =>
    asked.map((type) => normalizerAt(vendor, exchange, type, at));
  const wanted = symbols === undefined || symbols.length === 0 ? undefined : symbols;
  const segments: Segment[] = [];
  const found = new Set<SourceTypeName>();
  let last = '';
  for (const start of starts) {
    const fresh = normalizersAt(start);
    fresh.forEach((normalizer, i) => normalizer && found.add(asked[i] as SourceTypeName));
    const present = fresh.filter((normalizer) => normalizer !== undefined);
    const kind = JSON.stringify(present.map((one) => [one.kind, one.filters(wanted)]));
    if (kind === last) continue;
    last = kind;
    segments.push({
      start,
      end: period.end,
      filters: mergeFilters(present.flatMap((one) => one.filters(wanted))),
      normalizers: () => normalizersAt(start).filter((normalizer) => normalizer !== undefined),
    });
  }
  if (found.size === 0) throw usageError(`${exchange} has no ${asked.join(', ')} messages`);
  return {
    segments: segments.map((segment, i) => ({ ...segment, end: segments[i + 1]?.start ?? period.end })),
    lacking: asked.filter((type) => !found.has(type)),
  };
}

/** The types of messages that the asked types are made of, in the order in which messages go to normalizers. */
function sourceTypesOf(types: readonly NormalizedType[]): readonly SourceTypeName[] {
  const files = new Set<string>(types.map(({ dayFiles }) => dayFiles));
  return (Object.keys(SOURCE_TYPES) as SourceTypeName[]).filter((name) => files.has(SOURCE_TYPES[name]));
}

function normalizerAt(
  vendor: MapperFactories | undefined,
  exchange: string,
  type: SourceTypeName,
  at: number,
): Normalizer | undefined {
  const own = ownNormalizer(exchange, type, at);
  return own ?? (vendor && vendorNormalizer(vendor, exchange, type, at));
}

function midnightsWithin({ start, end }: Period): readonly number[] {
  const first = (Math.floor(start / DAY) + 1) * DAY;
  const days = Math.max(0, Math.ceil((end - first) / DAY));
  return Array.from({ length: days }, (_, i) => first + i * DAY);
}
