import { toDatasetSymbol } from '../../day-files/dataset-symbol.js';
import { type Day, formatDay } from '../../day-files/day.js';
import { type InstrumentInfo, instrumentOn } from '../../service/records/fetch-instruments.js';
import {
  type ExportContext,
  type ExportJob,
  isInverseContract,
  type OutputsOf,
  type SideFile,
  type SideFiles,
} from '../export-target.js';

/** What a backtest sets for an asset. Numbers are decimal texts; undefined if they are unknown. */
export interface AssetFacts {
  readonly tickSize: string | undefined;
  readonly lotSize: string | undefined;
  readonly isInverse: boolean;
  readonly contractSize: string;
  /** Part of the value of a trade; negative for a rebate. */
  readonly makerFee: string | undefined;
  readonly takerFee: string | undefined;
}

/** An array of the export. */
interface ExportedArray {
  readonly exchange: string;
  readonly symbol: string;
  readonly day: Day;
  /** Relative to the output folder. */
  readonly path: string;
}

const NO_METADATA: AssetFacts = {
  tickSize: undefined,
  lotSize: undefined,
  isInverse: false,
  contractSize: '1',
  makerFee: undefined,
  takerFee: undefined,
};

const SCRIPT = 'run_hftbacktest.py';
/** Symbols that a warning names. */
const MAX_NAMED = 5;

/** Writes the sizes and fees of each array beside it, and a script for the first symbol. */
export async function createHftbacktestSetup(
  jobs: readonly ExportJob[],
  outputsOf: OutputsOf,
  context: ExportContext,
): Promise<SideFiles> {
  const arrays = jobs.flatMap((job) => listArrays(job, outputsOf));
  const [first] = arrays;
  if (!first) return { files: [] };
  const find = await openInstruments(new Set(arrays.map(({ exchange }) => exchange)), context);
  const unknown = new Set<string>();
  const files: SideFile[] = [];
  for (const array of arrays) {
    const info = find(array);
    if (info) files.push(describeArray(array, readFacts(info, array.day)));
    else unknown.add(`${array.exchange} ${array.symbol}`);
  }
  files.push({
    key: SCRIPT,
    path: SCRIPT,
    bytes: Buffer.from(createScript(first, arrays, find)),
    isEditable: true,
  });
  const names = [...unknown].slice(0, MAX_NAMED).join(', ');
  const message = `the tick sizes, lot sizes and fees of ${names}${unknown.size > MAX_NAMED ? ' …' : ''} are unknown, as there are no instrument metadata; set TICKHAUL_API_KEY and export again`;
  return {
    files,
    messages: unknown.size === 0 ? [] : [{ event: 'warning', message }],
    script: { path: SCRIPT, command: (path) => ['python3', path] },
  };
}

function listArrays(job: ExportJob, outputsOf: OutputsOf): readonly ExportedArray[] {
  const [source] = job.sources;
  if (!source) return [];
  const { exchange, day } = source.file;
  const start = `${exchange}_${formatDay(day)}_`;
  return outputsOf(job).map((path) => ({
    exchange,
    day,
    path,
    symbol: path.slice(start.length, -'.npz'.length),
  }));
}

type FindInstrument = (array: Pick<ExportedArray, 'exchange' | 'symbol'>) => InstrumentInfo | undefined;

async function openInstruments(
  exchanges: ReadonlySet<string>,
  { lookUpInstruments }: ExportContext,
): Promise<FindInstrument> {
  const byName = new Map<string, InstrumentInfo>();
  const nameOf = (exchange: string, symbol: string): string => `${exchange} ${symbol.toUpperCase()}`;
  for (const exchange of exchanges)
    for (const info of (await lookUpInstruments(exchange)) ?? [])
      for (const name of [info.datasetId ?? toDatasetSymbol(info.id), info.id])
        if (!byName.has(nameOf(exchange, name))) byName.set(nameOf(exchange, name), info);
  return ({ exchange, symbol }) => byName.get(nameOf(exchange, symbol));
}

/** The values at the start of a day (docs/spec/hftbacktest-format.md#sizes-and-fees). */
function readFacts(info: InstrumentInfo, day: Day): AssetFacts {
  const version = instrumentOn(info, day);
  const orUnknown = (size: string | undefined): string | undefined => (Number(size) > 0 ? size : undefined);
  return {
    tickSize: orUnknown(version.priceIncrement),
    lotSize: orUnknown(version.amountIncrement),
    isInverse: isInverseContract(info),
    contractSize: orUnknown(version.contractMultiplier) ?? '1',
    makerFee: version.makerFee,
    takerFee: version.takerFee,
  };
}

function describeArray({ exchange, symbol, day, path }: ExportedArray, facts: AssetFacts): SideFile {
  const date = formatDay(day);
  const toNumber = (text: string | undefined): number | null => (text === undefined ? null : Number(text));
  const description = {
    exchange,
    symbol,
    date,
    tick_size: toNumber(facts.tickSize),
    lot_size: toNumber(facts.lotSize),
    asset_type: facts.isInverse ? 'inverse' : 'linear',
    contract_size: toNumber(facts.contractSize),
    maker_fee: toNumber(facts.makerFee),
    taker_fee: toNumber(facts.takerFee),
  };
  return {
    key: `instrument/${exchange} ${date} ${symbol}`,
    path: path.replace(/npz$/, 'json'),
    bytes: Buffer.from(`${JSON.stringify(description, null, 2)}\n`),
  };
}

/** The script of the first symbol, over its days from the first on that have the same sizes and fees. */
function createScript(first: ExportedArray, arrays: readonly ExportedArray[], find: FindInstrument): string {
  const info = find(first);
  const factsOf = ({ day }: ExportedArray): AssetFacts => (info ? readFacts(info, day) : NO_METADATA);
  const facts = factsOf(first);
  const text = JSON.stringify(facts);
  const days = arrays.filter(
    ({ exchange, symbol }) => exchange === first.exchange && symbol === first.symbol,
  );
  const end = days.findIndex((array) => JSON.stringify(factsOf(array)) !== text);
  const same = end < 0 ? days : days.slice(0, end);
  return formatHftbacktestScript({
    exchange: first.exchange,
    symbol: first.symbol,
    firstDay: formatDay(first.day),
    lastDay: formatDay((same.at(-1) ?? first).day),
    changeDay: end < 0 ? undefined : formatDay((days[end] as ExportedArray).day),
    facts,
  });
}

/** What the script for hftbacktest is about. Days as `YYYY-MM-DD`. */
export interface HftbacktestScript {
  readonly exchange: string;
  readonly symbol: string;
  readonly firstDay: string;
  readonly lastDay: string;
  /** The exported day that has other sizes or fees; undefined if all have the same. */
  readonly changeDay?: string | undefined;
  readonly facts: AssetFacts;
}

/** A Python script that runs through the days of a symbol. */
export function formatHftbacktestScript({
  exchange,
  symbol,
  firstDay,
  lastDay,
  changeDay,
  facts,
}: HftbacktestScript): string {
  const { tickSize = 'None', lotSize = 'None', makerFee = '0', takerFee = '0' } = facts;
  const isUnknown = tickSize === 'None' || lotSize === 'None';
  const hasFees = facts.makerFee !== undefined && facts.takerFee !== undefined;
  const asset = `${facts.isInverse ? 'inverse' : 'linear'}_asset(${facts.contractSize})`;
  return `"""A run through exported days: python3 -m pip install hftbacktest

Written by \`tickhaul export hftbacktest\`, which keeps this file once you have changed it.
"""

from pathlib import Path

from hftbacktest import BacktestAsset, HashMapMarketDepthBacktest
from numba import njit

EXCHANGE, SYMBOL = ${JSON.stringify(exchange)}, ${JSON.stringify(symbol)}
FIRST_DAY, LAST_DAY = "${firstDay}", "${lastDay}"${changeDay === undefined ? '' : `  # other sizes or fees from ${changeDay} on`}
TICK_SIZE, LOT_SIZE = ${tickSize}, ${lotSize}
MAKER_FEE, TAKER_FEE = ${makerFee}, ${takerFee}${hasFees ? '' : '  # not in the instrument metadata: set yours'}
ORDER_LATENCY = 10_000_000  # nanoseconds to the exchange, and back
HOUR = 3_600_000_000_000
${isUnknown ? '\nif TICK_SIZE is None or LOT_SIZE is None:\n    raise SystemExit("set TICK_SIZE and LOT_SIZE: they are not in the instrument metadata")\n' : ''}
days = []
for path in sorted(Path(__file__).parent.glob("*.npz")):
    exchange, _, rest = path.stem.partition("_")
    day, _, symbol = rest.partition("_")
    if (exchange, symbol) == (EXCHANGE, SYMBOL) and FIRST_DAY <= day <= LAST_DAY:
        days.append(str(path))

asset = (
    BacktestAsset()
    .data(days)
    .${asset}
    .constant_order_latency(ORDER_LATENCY, ORDER_LATENCY)
    .risk_adverse_queue_model()
    .no_partial_fill_exchange()
    .trading_value_fee_model(MAKER_FEE, TAKER_FEE)
    .tick_size(TICK_SIZE)
    .lot_size(LOT_SIZE)
)


@njit
def run(backtest):
    while backtest.elapse(HOUR) == 0:
        depth = backtest.depth(0)
        print(backtest.current_timestamp, depth.best_bid, depth.best_ask)


backtest = HashMapMarketDepthBacktest([asset])
run(backtest)
backtest.close()
`;
}
