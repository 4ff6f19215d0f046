import type { SourceTypeName } from '../../market/names/data-type-name.js';
import type { Filter } from '../../service/feed-filter.js';
import type { Normalizer } from '../normalizer.js';
import type { MapperFactories, MicroDate, VendorMapper } from './load.js';
import { recordOf } from './record.js';
import { tradeTextReader } from './trade-text.js';

/** Within so many milliseconds of now the vendor's normalizers go by the rules of live connections. */
const LIVE_MS = 4 * 60_000;

/**
 * The vendor's normalizer of a type, or undefined where the package has none for the exchange.
 * @param at microseconds: what the exchange's API was like then. In a replay the rules are those of replays, however
 *   young the messages are.
 * @param isLive whether its rules are those of a live connection that is made now.
 */
export function vendorNormalizer(
  factories: MapperFactories,
  exchange: string,
  type: SourceTypeName,
  at: number,
  isLive = false,
): Normalizer | undefined {
  const mapper = makeMapper(
    factories,
    exchange,
    type,
    isLive ? Date.now() : Math.min(at / 1000, Date.now() - LIVE_MS),
  );
  if (mapper === undefined) return undefined;
  const readTrade = type === 'trade' ? tradeTextReader(exchange) : undefined;
  return {
    kind: kindOf(mapper),
    filters: (symbols) => filtersOf(mapper, symbols),
    read(message, localTimestamp, emit) {
      if (!mapper.canHandle(message)) return;
      const messages = mapper.map(message, dateOf(localTimestamp));
      if (messages === undefined) return;
      for (const one of messages) emit(recordOf(one, localTimestamp));
    },
    readText:
      readTrade &&
      ((text, localTimestamp, emit) => {
        const trade = readTrade(text, localTimestamp);
        if (trade) emit(trade);
        return trade !== undefined;
      }),
  };
}

function makeMapper(
  factories: MapperFactories,
  exchange: string,
  type: SourceTypeName,
  ms: number,
): VendorMapper | undefined {
  try {
    return factories[type](exchange, new Date(ms));
  } catch (error) {
    if (error instanceof Error && error.message.endsWith(`${exchange} not supported`)) return undefined;
    throw error;
  }
}

function filtersOf(mapper: VendorMapper, symbols: readonly string[] | undefined): readonly Filter[] {
  return mapper
    .getFilters(symbols && [...symbols])
    .map(({ channel, symbols }) => (symbols === undefined ? { channel } : { channel, symbols }));
}

/** Its class, what it was made with, and its channels: the package names no dates. */
function kindOf(mapper: VendorMapper): string {
  const made = Object.entries(mapper).filter(([, value]) => value !== null && typeof value !== 'object');
  const plain = made.filter(([, value]) => typeof value !== 'function');
  return JSON.stringify([mapper.constructor.name, plain, mapper.getFilters()]);
}

/** @param time microseconds. */
function dateOf(time: number): MicroDate {
  const ms = Math.floor(time / 1000);
  const date: MicroDate = new Date(ms);
  date.μs = time - ms * 1000;
  return date;
}
