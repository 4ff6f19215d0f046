import { usageError } from '../base/errors.js';
import { didYouMean } from '../base/text.js';
import {
  EXCHANGE_MESSAGE_TYPES,
  type ExchangeMessageTypeName,
  type NormalizedType,
} from '../market/message-type-name.js';
import type { Period } from '../market/trade-bars.js';
import type { FeedFilter } from '../service/feed-filter.js';
import { withBookText } from './message-text/book-text.js';
import type { Normalizer } from './normalizer.js';
import { createOwnNormalizer, hasOnlyOwnNormalizers, listEraEdges } from './own/normalizer-eras.js';
import { createVendorNormalizer, listVendorExchanges, loadVendor } from './vendor-normalizer.js';

export interface FeedPlanOptions {
  readonly exchange: string;
  readonly types: readonly NormalizedType[];
  /** In any case; if omitted or empty, all symbols. */
  readonly symbols?: readonly string[] | undefined;
  /** Local times, in microseconds. */
  readonly period: Period;
  /** Whether the messages come from a live connection, where the vendor's normalizers are stricter. */
  readonly isLive?: boolean;
}

/** How one exchange's messages of a period are converted to records. */
export interface FeedPlan {
  /** Consecutive segments that cover the period; each one starts with new normalizers. */
  readonly segments: readonly FeedSegment[];
  /** Requested message types that the exchange does not have. */
  readonly missingTypes: readonly ExchangeMessageTypeName[];
}

export interface FeedSegment extends Period {
  /** The requested message types that the exchange has in this segment. */
  readonly types: readonly ExchangeMessageTypeName[];
  /** Filters of all channels that the normalizers need; a channel may occur twice. */
  readonly filters: readonly FeedFilter[];
  /** Creates new normalizers, in the order in which they receive a message. */
  normalizers(): readonly Normalizer[];
}

const DAY_US = 86_400_000_000;

/**
 * Plans the normalization of a feed. The period is split at each UTC midnight, or edge of an era, at
 * which an exchange's API changed: there new normalizers differ, in kind or in filters, from those of the day before.
 * @throws usage error if the exchange has none of the types, or if the vendor's package is needed and not installed.
 */
export async function planFeed({
  exchange,
  types,
  symbols,
  period,
  isLive = false,
}: FeedPlanOptions): Promise<FeedPlan> {
  // Tables keyed by exchange, also the vendor's, inherit properties such as `constructor`.
  if (exchange in {}) throw usageError(`"${exchange}" is not an exchange id`);
  const requested = listExchangeMessageTypes(types);
  const edges = listEraEdges(exchange).filter((edge) => edge > period.start && edge < period.end);
  const times = new Set([period.start, ...listMidnights(period), ...edges]);
  const starts = [...times].sort((first, second) => first - second);
  const isOwn = hasOnlyOwnNormalizers(exchange);
  const areAllOwn =
    isOwn || starts.every((at) => requested.every((type) => createOwnNormalizer(exchange, type, at)));
  const vendor = areAllOwn ? undefined : await loadVendor();
  const symbolFilter = symbols === undefined || symbols.length === 0 ? undefined : symbols;
  // The package supports the same types on all days, and a lookup of an unsupported type is slow.
  const vendorTypes = new Set(
    requested.filter(
      (type) => vendor && createVendorNormalizer(vendor, exchange, type, period.start, isLive),
    ),
  );
  const readersAt = (at: number): readonly TypeReader[] =>
    requested.flatMap((type) => {
      const own = createOwnNormalizer(exchange, type, at, isLive);
      const vendorNormalizer =
        vendor && vendorTypes.has(type) && !own
          ? createVendorNormalizer(vendor, exchange, type, at, isLive)
          : undefined;
      const parsed = own ?? vendorNormalizer;
      if (parsed === undefined) return [];
      const normalizer = type === 'book_change' ? withBookText(exchange, parsed) : parsed;
      return [{ type, normalizer }];
    });
  const segments = splitIntoSegments(starts, period.end, symbolFilter, readersAt);
  const foundTypes = new Set(segments.flatMap(({ types }) => types));
  if (foundTypes.size === 0) {
    const known = isOwn ? [exchange] : await listVendorExchanges();
    const hint = known.includes(exchange) ? '' : didYouMean(exchange, known);
    throw usageError(`${exchange} has no ${requested.join(', ')} messages${hint}`);
  }
  return { segments, missingTypes: requested.filter((type) => !foundTypes.has(type)) };
}

interface TypeReader {
  readonly type: ExchangeMessageTypeName;
  readonly normalizer: Normalizer;
}

/** Of thousands of symbols over years, a client's request must not take all the memory of a server. */
const MAX_COMPARED_SYMBOLS = 20;

/** Creates a segment at each start where new readers differ from those before. */
function splitIntoSegments(
  starts: readonly number[],
  end: number,
  symbols: readonly string[] | undefined,
  readersAt: (at: number) => readonly TypeReader[],
): readonly FeedSegment[] {
  const compared = symbols?.slice(0, MAX_COMPARED_SYMBOLS);
  const changes: { readonly start: number; readonly readers: readonly TypeReader[] }[] = [];
  let lastKind: string | undefined;
  for (const start of starts) {
    const readers = readersAt(start);
    const kind = JSON.stringify(
      readers.map(({ normalizer }) => [normalizer.kind, normalizer.filters(compared)]),
    );
    if (kind !== lastKind) changes.push({ start, readers });
    lastKind = kind;
  }
  return changes.map(({ start, readers }, i) => ({
    start,
    end: changes[i + 1]?.start ?? end,
    types: readers.map(({ type }) => type),
    filters: readers.flatMap(({ normalizer }) => normalizer.filters(symbols)),
    normalizers: () => readersAt(start).map(({ normalizer }) => normalizer),
  }));
}

/**
 * Source types that the requested types are computed from, in the order in which normalizers receive
 * messages.
 */
function listExchangeMessageTypes(types: readonly NormalizedType[]): readonly ExchangeMessageTypeName[] {
  const files = new Set<string>(types.map(({ dayFileType }) => dayFileType));
  return (Object.keys(EXCHANGE_MESSAGE_TYPES) as ExchangeMessageTypeName[]).filter((name) =>
    files.has(EXCHANGE_MESSAGE_TYPES[name]),
  );
}

/** No exchange's API has been recorded before. */
const FIRST_RECORDED_US = Date.UTC(2019, 0) * 1000;

function listMidnights({ start, end }: Period): readonly number[] {
  const first = Math.max(FIRST_RECORDED_US, (Math.floor(start / DAY_US) + 1) * DAY_US);
  const days = Math.max(0, Math.ceil((end - first) / DAY_US));
  return Array.from({ length: days }, (_, i) => first + i * DAY_US);
}
