import { usageError } from '../base/errors.js';
import { didYouMean } from '../base/nearest.js';
import { type NormalizedType, SOURCE_TYPES, type SourceTypeName } from '../market/names/data-type-name.js';
import type { Period } from '../market/trade-bars.js';
import type { Filter } from '../service/feed-filter.js';
import type { Normalizer } from './normalizer.js';
import { ownNormalizer } from './own/eras.js';
import { refusalOf } from './refusals.js';
import { loadVendor, vendorExchanges } from './vendor/load.js';
import { vendorNormalizer } from './vendor/normalizer.js';

export interface FeedPlanOptions {
  readonly exchange: string;
  readonly types: readonly NormalizedType[];
  /** In any case; left out or empty, all. */
  readonly symbols?: readonly string[] | undefined;
  /** Local times, in microseconds. */
  readonly period: Period;
  /** Whether they come from a live connection: the vendor's normalizers are stricter there. */
  readonly isLive?: boolean;
}

/** How one exchange's messages of a period become records. */
export interface FeedPlan {
  /** Stretches that follow each other, together the period; each begins with new normalizers. */
  readonly segments: readonly Segment[];
  /** Source types that the exchange doesn't have, and what was to be computed of them. */
  readonly lacking: readonly SourceTypeName[];
}

export interface Segment extends Period {
  /** Of the asked source types those that the exchange has here. */
  readonly types: readonly SourceTypeName[];
  /** What to ask the raw data API for: all that the normalizers need; a channel may be there twice. */
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
export async function planFeed({
  exchange,
  types,
  symbols,
  period,
  isLive = false,
}: FeedPlanOptions): Promise<FeedPlan> {
  // Tables by exchange, the vendor's too, have it as every object does.
  if (exchange === 'constructor') throw usageError(`"${exchange}" is no exchange id`);
  const asked = sourceTypesOf(types);
  for (const type of asked) {
    const refusal = refusalOf(exchange, type, period.end, isLive);
    if (refusal) throw refusal;
  }
  const starts = [period.start, ...midnightsWithin(period)];
  const areOurs = starts.every((at) => asked.every((type) => ownNormalizer(exchange, type, at)));
  const vendor = areOurs ? undefined : await loadVendor();
  const wanted = symbols === undefined || symbols.length === 0 ? undefined : symbols;
  // What the package has for an exchange is the same on all days, and asking for what it has not takes a while.
  const has = new Set(
    asked.filter((type) => vendor && vendorNormalizer(vendor, exchange, type, period.start, isLive)),
  );
  const readersAt = (at: number): readonly Reader[] =>
    asked.flatMap((type) => {
      const own = ownNormalizer(exchange, type, at);
      const vendors =
        vendor && has.has(type) && !own ? vendorNormalizer(vendor, exchange, type, at, isLive) : undefined;
      const normalizer = own ?? vendors;
      return normalizer ? [{ type, normalizer, filters: normalizer.filters(wanted) }] : [];
    });
  const segments = segmentsOf(starts, period.end, readersAt);
  const found = new Set(segments.flatMap(({ types }) => types));
  if (found.size === 0) {
    const known = await vendorExchanges();
    const hint = known.includes(exchange) ? '' : didYouMean(exchange, known);
    throw usageError(`${exchange} has no ${asked.join(', ')} messages${hint}`);
  }
  return { segments, lacking: asked.filter((type) => !found.has(type)) };
}

interface Reader {
  readonly type: SourceTypeName;
  readonly normalizer: Normalizer;
  readonly filters: readonly Filter[];
}

/** A segment for each of the starts at which fresh readers differ from those before. */
function segmentsOf(
  starts: readonly number[],
  end: number,
  readersAt: (at: number) => readonly Reader[],
): readonly Segment[] {
  const fresh = starts.map((start) => {
    const readers = readersAt(start);
    const kind = JSON.stringify(readers.map(({ normalizer, filters }) => [normalizer.kind, filters]));
    return { start, readers, kind };
  });
  const changes = fresh.filter(({ kind }, i) => kind !== fresh[i - 1]?.kind);
  return changes.map(({ start, readers }, i) => ({
    start,
    end: changes[i + 1]?.start ?? end,
    types: readers.map(({ type }) => type),
    filters: readers.flatMap(({ filters }) => filters),
    normalizers: () => readersAt(start).map(({ normalizer }) => normalizer),
  }));
}

/** The types of messages that the asked types are made of, in the order in which messages go to normalizers. */
function sourceTypesOf(types: readonly NormalizedType[]): readonly SourceTypeName[] {
  const files = new Set<string>(types.map(({ dayFiles }) => dayFiles));
  return (Object.keys(SOURCE_TYPES) as SourceTypeName[]).filter((name) => files.has(SOURCE_TYPES[name]));
}

function midnightsWithin({ start, end }: Period): readonly number[] {
  const first = (Math.floor(start / DAY) + 1) * DAY;
  const days = Math.max(0, Math.ceil((end - first) / DAY));
  return Array.from({ length: days }, (_, i) => first + i * DAY);
}
