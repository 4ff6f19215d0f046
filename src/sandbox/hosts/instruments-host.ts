import { GROUPED_SYMBOLS } from '../../day-files/dataset-symbol.js';
import {
  type InstrumentFilter,
  matchesFilter,
  parseInstrumentFilter,
} from '../../service/records/fetch-instruments.js';
import { parseTarget, type SandboxCall, sendSandboxError, sendText } from '../http/sandbox-call.js';
import {
  type SandboxDatasetSymbol,
  type SandboxExchange,
  toFeedSymbol,
} from '../market/synthetic-exchanges.js';
import { createSyntheticInstrument } from '../market/synthetic-instrument.js';
import { hasKey, sendKeyRefusal } from './authorization.js';

/** A synthetic instrument (`docs/spec/metadata-api.md#instruments`). */
export type SandboxInstrument = Readonly<Record<string, string | number | boolean>>;

/** The exchange whose instruments need no key. */
const OPEN_EXCHANGE = 'bitmex';
const FILTER_FIELDS = new Set([
  'baseCurrency',
  'quoteCurrency',
  'type',
  'contractType',
  'underlyingType',
  'active',
  'availableSince',
  'availableTo',
]);

/**
 * Serves `GET /v1/instruments/:exchange[/:symbol]`; undefined for other paths.
 * @param seed that of the day files.
 */
export function createInstrumentsHost(
  exchanges: readonly SandboxExchange[],
  seed: number,
): (call: SandboxCall) => Promise<void> | undefined {
  return (call) => {
    const { pathname, searchParams } = parseTarget(call);
    const [, exchange, symbol] = /^\/v1\/instruments\/([^/]+)(?:\/([^/]+))?$/.exec(pathname) ?? [];
    if (exchange === undefined) return undefined;
    const record = exchanges.find(({ id }) => id === exchange);
    if (!record) return sendSandboxError(call, 400, 100, `Exchange '${exchange}' is not supported`);
    if (exchange !== OPEN_EXCHANGE && !hasKey(call)) return sendKeyRefusal(call);
    const all = listInstruments(record, seed);
    if (symbol !== undefined) {
      const expected = decodeURIComponent(symbol).toUpperCase();
      const instrument = all.find(({ id }) => String(id).toUpperCase() === expected);
      return instrument
        ? send(call, instrument)
        : sendSandboxError(call, 404, 101, `There is no instrument '${symbol}'`);
    }
    const filter = parseFilter(searchParams.get('filter') ?? '{}');
    if (!filter) return sendSandboxError(call, 400, 102, "'filter' param is not valid");
    return send(
      call,
      all.filter((instrument) => matchesFilter(instrument, filter)),
    );
  };
}

function send(call: SandboxCall, value: unknown): Promise<void> {
  return sendText(call, 200, 'application/json', JSON.stringify(value));
}

function listInstruments(
  { id: exchange, datasets }: SandboxExchange,
  seed: number,
): readonly SandboxInstrument[] {
  const end = datasets?.exportedUntil ?? '';
  return (datasets?.symbols ?? [])
    .filter(({ id }) => !GROUPED_SYMBOLS.has(id))
    .map((symbol) => createInstrument(exchange, symbol, end, seed));
}

function createInstrument(
  exchange: string,
  { id, type, availableSince, availableTo }: SandboxDatasetSymbol,
  end: string,
  seed: number,
): SandboxInstrument {
  const active = availableTo === undefined || availableTo >= end;
  const [, base = id, quote = 'USD'] = /^(\w+?)[-_/]?(USDT|USDC|USD|EUR|BTC)?(?:[-_].*)?$/.exec(id) ?? [];
  const contractType = findContractType(exchange, id, type);
  // Increments are the same on all days.
  const { ticksPerUnit, lotsPerUnit } = createSyntheticInstrument(exchange, id, seed, 0);
  return {
    id: toFeedSymbol(exchange, id),
    datasetId: id,
    exchange,
    baseCurrency: base === 'XBT' ? 'BTC' : base,
    quoteCurrency: quote,
    type,
    active,
    availableSince,
    ...(!active && availableTo !== undefined && { availableTo }),
    priceIncrement: 1 / ticksPerUnit,
    amountIncrement: 1 / lotsPerUnit,
    minTradeAmount: 1 / lotsPerUnit,
    makerFee: -0.0001,
    takerFee: 0.0005,
    ...(contractType !== undefined && { contractType, inverse: contractType.startsWith('inverse') }),
  };
}

function findContractType(exchange: string, id: string, type: string): string | undefined {
  if (type === 'option') return id.endsWith('P') ? 'put_option' : 'call_option';
  if (type !== 'perpetual' && type !== 'future') return undefined;
  return `${exchange === OPEN_EXCHANGE || exchange === 'deribit' ? 'inverse' : 'linear'}_${type}`;
}

function parseFilter(text: string): InstrumentFilter | undefined {
  const filter = parseInstrumentFilter(text);
  return filter && Object.keys(filter).every((field) => FILTER_FIELDS.has(field)) ? filter : undefined;
}
