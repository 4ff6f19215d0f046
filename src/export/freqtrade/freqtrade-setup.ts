import { addDays, formatDay } from '../../day-files/day.js';
import { instrumentOn, isNamed } from '../../service/records/fetch-instruments.js';
import type { ExportContext, ExportJob, ExportSource, OutputsOf, SideFiles } from '../export-target.js';
import { type FreqtradeSettings, type JobSettings, pairPaths, toPair } from './freqtrade-settings.js';

/** freqtrade's names of exchanges for spot pairs, and for futures: it trades linear perpetuals only. */
const SPOT_EXCHANGES: Readonly<Record<string, string>> = {
  binance: 'binance',
  'binance-us': 'binanceus',
  bitget: 'bitget',
  'bybit-spot': 'bybit',
  'gate-io': 'gate',
  huobi: 'htx',
  kraken: 'kraken',
  kucoin: 'kucoin',
  okex: 'okx',
};
const FUTURES_EXCHANGES: Readonly<Record<string, string>> = {
  'binance-futures': 'binance',
  'bitget-futures': 'bitget',
  bybit: 'bybit',
  'gate-io-futures': 'gate',
  hyperliquid: 'hyperliquid',
  'okex-swap': 'okx',
};

const CONFIG = 'config.json';
const STRATEGY = 'Demo.py';

/** A pair with candles. */
interface ExportedPair {
  readonly pair: string;
  readonly source: ExportSource;
}

/** Writes a configuration for the pairs that can be traded with the first one, and a strategy. */
export async function createFreqtradeSetup(
  jobs: readonly ExportJob[],
  outputsOf: OutputsOf,
  { timeframes: [timeframe = '1m'], funding }: FreqtradeSettings,
  context: ExportContext,
): Promise<SideFiles> {
  const pairs = jobs.flatMap((job) => listPairs(job, outputsOf(job), timeframe));
  const [any] = pairs;
  if (!any) return { files: [] };
  const first = pairs.find((each) => nameExchange(each) !== undefined);
  if (!first) {
    const message = `no ${CONFIG}: freqtrade does not trade ${any.pair} of ${any.source.file.exchange}`;
    return { files: [], messages: [{ event: 'note', message }] };
  }
  const { exchange, symbol, day } = first.source.file;
  const same = pairs.filter(
    (each) =>
      nameExchange(each) === nameExchange(first) &&
      isFutures(each.pair) === isFutures(first.pair) &&
      stakeOf(each.pair) === stakeOf(first.pair),
  );
  // Pairs come from metadata, so that they are stored, unless the user named the pair.
  const info = (await context.findInstruments(exchange))?.find(
    (each) => isNamed(each, symbol) || toPair(each) === first.pair,
  );
  const config = formatConfig({
    exchange: String(nameExchange(first)),
    pairs: same.map(({ pair }) => pair),
    timeframe,
    fundingTimeframes: [funding.timeframe, funding.markTimeframe],
    fee: info && instrumentOn(info, day).takerFee,
  });
  const days = jobs.flatMap(({ sources }) => sources.map(({ file }) => file.day)).sort((a, b) => a - b);
  const range = [days[0] ?? day, addDays(days.at(-1) ?? day, 1)];
  const [from, to] = range.map((each) => formatDay(each).replaceAll('-', ''));
  return {
    files: [
      { key: CONFIG, path: CONFIG, bytes: Buffer.from(config), isEditable: true },
      { key: STRATEGY, path: STRATEGY, bytes: Buffer.from(formatStrategy(timeframe)), isEditable: true },
    ],
    script: {
      path: CONFIG,
      command: (path, out) => [
        ...['freqtrade', 'backtesting', '--config', path, '--userdir', findUserFolder(out)],
        ...['--datadir', out, '--strategy', 'Demo', '--strategy-path', out],
        ...['--timerange', `${from}-${to}`, '--cache', 'none'],
      ],
    },
  };
}

function listPairs(
  { sources, settings }: ExportJob,
  paths: readonly string[],
  timeframe: string,
): ExportedPair[] {
  const { pair, pairs = {} } = settings as JobSettings;
  const [source] = sources;
  if (source?.file.dataType !== 'trades') return [];
  const names = pair === undefined ? [...new Set(Object.values(pairs))] : [pair];
  const existing = new Set(paths);
  return names
    .filter((name) => existing.has(pairPaths(name).candles(timeframe)))
    .map((name) => ({ pair: name, source }));
}

function isFutures(pair: string): boolean {
  return pair.includes(':');
}

/** Currency of the account: the settlement currency, or the quote currency of a spot pair. */
function stakeOf(pair: string): string {
  return pair.split(/[/:]/).at(-1) as string;
}

/** freqtrade's name of the exchange; undefined if it does not trade the pair there. */
function nameExchange({ pair, source }: ExportedPair): string | undefined {
  const { exchange } = source.file;
  const names = isFutures(pair) ? FUTURES_EXCHANGES : SPOT_EXCHANGES;
  const [, quote, settlement = quote] = pair.split(/[/:]/);
  return quote === settlement && Object.hasOwn(names, exchange) ? names[exchange] : undefined;
}

/** The user folder that has the outputs as its data, such as `user_data` of `user_data/data/binance`; else the outputs. */
function findUserFolder(out: string): string {
  return /^(.+)[/\\]data[/\\][^/\\]+[/\\]?$/.exec(out)?.[1] ?? out;
}

/** What a configuration is about. */
export interface FreqtradeConfig {
  /** freqtrade's name. */
  readonly exchange: string;
  /** At least one; all of spot, or all of futures, with one stake currency. */
  readonly pairs: readonly string[];
  readonly timeframe: string;
  /** Of funding rates and of mark candles. */
  readonly fundingTimeframes: readonly [funding: string, mark: string];
  /** Decimal text; undefined if it is unknown. */
  readonly fee: string | undefined;
}

/** freqtrade's configuration has this limit, and none below 0. */
const MAX_FEE = 0.1;

/** The configuration of a backtest of freqtrade. */
export function formatConfig({
  exchange,
  pairs,
  timeframe,
  fundingTimeframes,
  fee,
}: FreqtradeConfig): string {
  const [pair = ''] = pairs;
  const [fundingTimeframe, markTimeframe] = fundingTimeframes;
  const isFee = fee !== undefined && Number(fee) >= 0 && Number(fee) <= MAX_FEE;
  const pricing = { price_side: 'same', use_order_book: true, order_book_top: 1 };
  const config = {
    exchange: {
      name: exchange,
      pair_whitelist: pairs,
      // Versions before 2025.12 look for other timeframes.
      ...(isFutures(pair) && {
        _ft_has_params: { funding_fee_timeframe: fundingTimeframe, mark_ohlcv_timeframe: markTimeframe },
      }),
    },
    ...(isFutures(pair) && { trading_mode: 'futures', margin_mode: 'isolated' }),
    stake_currency: stakeOf(pair),
    stake_amount: 100,
    dry_run: true,
    dry_run_wallet: 1000,
    max_open_trades: 1,
    timeframe,
    ...(isFee && { fee: Number(fee) }),
    entry_pricing: pricing,
    exit_pricing: pricing,
    pairlists: [{ method: 'StaticPairList' }],
    dataformat_ohlcv: 'feather',
    dataformat_trades: 'feather',
  };
  const text = JSON.stringify(config, null, 2).replace(/\[\n\s+("[^"\n]*")\n\s+\]/g, '[$1]');
  return `${text}\n`;
}

/** A strategy that follows the direction of the last twelve candles. */
export function formatStrategy(timeframe: string): string {
  return `"""A strategy that buys what rises.

Written by \`tickhaul export freqtrade\`, which keeps this file once you have changed it.
"""

from freqtrade.strategy import IStrategy


class Demo(IStrategy):
    INTERFACE_VERSION = 3
    timeframe = "${timeframe}"
    minimal_roi = {"0": 0.01}
    stoploss = -0.05

    def populate_indicators(self, dataframe, metadata):
        return dataframe

    def populate_entry_trend(self, dataframe, metadata):
        dataframe.loc[dataframe["close"] > dataframe["close"].shift(12), "enter_long"] = 1
        return dataframe

    def populate_exit_trend(self, dataframe, metadata):
        dataframe.loc[dataframe["close"] < dataframe["close"].shift(12), "exit_long"] = 1
        return dataframe
`;
}
