import type { FeedFilter } from '../../service/feed-filter.js';
import {
  bitget,
  bitnomial,
  bullish,
  bybitSpot,
  coinbaseForm,
  gateIo,
  gateIoFutures,
  gemini,
  hitbtc,
  kraken,
  mexcFutures,
  okex,
  phemex,
  poloniex,
  polymarket,
  serum,
} from './by-name.js';
import {
  ascendex,
  binance,
  binanceDex,
  bitflyer,
  bitmexForm,
  bitstamp,
  blockchainCom,
  bybitForm,
  coinbaseInternational,
  coinflex,
  cryptoCom,
  cryptofacilities,
  delta,
  deribitForm,
  dydx,
  ftx,
  huobi,
  hyperliquid,
  kucoin,
  lighter,
  mexc,
  upbit,
  wooX,
} from './channels.js';
import { createForm, type SubscriptionForm } from './subscription-form.js';

/** Its messages name no channel of the feed, so any message selects the whole exchange. */
const bitfinex = createForm('{"event":"subscribe","channel":"trades","symbol":"tBTCUSD"}', () => []);

/** The subscribe messages of each exchange (docs/spec/local-server.md#subscriptions). */
const FORMS: Readonly<Record<string, SubscriptionForm>> = {
  ascendex,
  aster: binance,
  'aster-futures': binance,
  binance,
  'binance-delivery': binance,
  'binance-dex': binanceDex,
  'binance-european-options': binance,
  'binance-futures': binance,
  'binance-jersey': binance,
  'binance-options': binance,
  'binance-us': binance,
  bitfinex,
  'bitfinex-derivatives': bitfinex,
  bitflyer,
  bitget,
  'bitget-futures': bitget,
  bitmex: bitmexForm,
  bitnomial,
  bitstamp,
  'blockchain-com': blockchainCom,
  bullish,
  bybit: bybitForm,
  'bybit-options': bybitForm,
  'bybit-spot': bybitSpot,
  coinbase: coinbaseForm,
  'coinbase-international': coinbaseInternational,
  coinflex,
  'crypto-com': cryptoCom,
  'crypto-com-derivatives': cryptoCom,
  cryptofacilities,
  delta,
  deribit: deribitForm,
  dydx,
  'dydx-v4': dydx,
  ftx,
  'ftx-us': ftx,
  'gate-io': gateIo,
  'gate-io-futures': gateIoFutures,
  gemini,
  hitbtc,
  huobi,
  'huobi-dm': huobi,
  'huobi-dm-linear-swap': huobi,
  'huobi-dm-options': huobi,
  'huobi-dm-swap': huobi,
  hyperliquid,
  kraken,
  kucoin,
  'kucoin-futures': kucoin,
  lighter,
  mango: serum,
  mexc,
  'mexc-futures': mexcFutures,
  okcoin: okex,
  okex,
  'okex-futures': okex,
  'okex-options': okex,
  'okex-spreads': okex,
  'okex-swap': okex,
  phemex,
  poloniex,
  polymarket,
  serum,
  'star-atlas': serum,
  upbit,
  'woo-x': wooX,
};

/** Result of reading a client's subscribe message. */
export type Subscription =
  | {
      /** A channel may occur twice; an empty list selects the whole exchange. */
      readonly filters: readonly FeedFilter[];
    }
  | {
      readonly filters: undefined;
      /** A sentence with a valid example. */
      readonly advice: string;
    };

/**
 * Reads an exchange's own subscribe message, as its clients send it to a replay.
 * @param message parsed.
 * @param at microseconds: the replayed time.
 */
export function readSubscription(exchange: string, message: unknown, at: number): Subscription {
  const known = Object.hasOwn(FORMS, exchange) ? FORMS[exchange] : undefined;
  if (known === undefined) {
    return { filters: undefined, advice: `the subscribe messages of ${exchange} are unknown` };
  }
  const filters = known.read(message, at);
  if (filters) return { filters };
  const advice = `not a valid subscribe message of ${exchange}; a valid one is ${known.example}`;
  return { filters: undefined, advice };
}
