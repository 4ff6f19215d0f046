import { TickhaulError } from '../base/errors.js';
import {
  EXCHANGE_MESSAGE_TYPES,
  type ExchangeMessageTypeName,
  parseMessageType,
} from '../market/message-type-name.js';
import { planFeed } from './feed-plan.js';
import { planLiveFeeds } from './live-feeds/plan-live-feeds.js';
import { OWN_ERAS } from './own/normalizer-eras.js';
import { createVendorNormalizer, loadVendor, type MapperFactories } from './vendor-normalizer.js';

/** What normalizers can do with one type of messages of an exchange. */
export interface MessageSupport {
  /** Whether recorded messages can be normalized (`--source feeds`). */
  readonly feeds: boolean;
  /** First UTC day of `feeds`; absent if there is no such limit. */
  readonly since?: string | undefined;
  /** Whether `stream` can subscribe to them. */
  readonly live: boolean;
}

/**
 * Describes what normalizers can do with an exchange's messages, by type; types that it does not have are
 * absent. Without the vendor's package, only tickhaul's own normalizers count.
 */
export async function describeMessageSupport(
  exchange: string,
): Promise<Readonly<Partial<Record<ExchangeMessageTypeName, MessageSupport>>>> {
  // Tables keyed by exchange inherit properties such as `constructor`.
  if (exchange in {}) return {};
  const vendor = await loadVendor().catch(ignoreMissingPackage);
  const support: Partial<Record<ExchangeMessageTypeName, MessageSupport>> = {};
  for (const type of Object.keys(EXCHANGE_MESSAGE_TYPES) as ExchangeMessageTypeName[]) {
    const feeds = describeFeeds(exchange, type, vendor);
    const live = await canStream(exchange, type);
    if (feeds || live) support[type] = { feeds: feeds !== undefined, ...feeds, live };
  }
  return support;
}

/** Days of the recorded messages that can be normalized; undefined if none can. */
function describeFeeds(
  exchange: string,
  type: ExchangeMessageTypeName,
  vendor: MapperFactories | undefined,
): Pick<MessageSupport, 'since'> | undefined {
  if (vendor && createVendorNormalizer(vendor, exchange, type, Date.now() * 1000)) return {};
  const eras = (OWN_ERAS[exchange] ?? []).filter(({ normalizers }) => normalizers[type] !== undefined);
  if (eras.length === 0) return undefined;
  const [since] = eras.map(({ from, recordedFrom = '' }) => from ?? recordedFrom).sort();
  return { since: since?.slice(0, 'YYYY-MM-DD'.length) || undefined };
}

/** Any symbol serves for a plan. */
const ANY_SYMBOL = 'BTC-USDT';

async function canStream(exchange: string, type: ExchangeMessageTypeName): Promise<boolean> {
  const start = Date.now() * 1000;
  const period = { start, end: start + 1 };
  const types = [parseMessageType(type)];
  try {
    const { segments } = await planFeed({ exchange, types, symbols: [ANY_SYMBOL], period, isLive: true });
    await planLiveFeeds(
      exchange,
      segments.flatMap(({ filters }) => filters),
    );
    return true;
  } catch (error) {
    if (error instanceof TickhaulError && error.code === 'usage') return false;
    throw error;
  }
}

function ignoreMissingPackage(error: unknown): undefined {
  if (error instanceof TickhaulError && error.code === 'usage') return undefined;
  throw error;
}
