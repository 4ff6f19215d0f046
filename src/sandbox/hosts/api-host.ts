import { createHash } from 'node:crypto';
import { GROUPED_SYMBOLS } from '../../day-files/dataset-symbol.js';
import {
  type InstrumentFilter,
  matchesFilter,
  parseInstrumentFilter,
} from '../../service/records/fetch-instruments.js';
import {
  type SandboxDatasetSymbol,
  type SandboxExchange,
  toFeedSymbol,
} from '../simulation/synthetic-exchanges.js';
import { createSyntheticInstrument } from '../simulation/synthetic-instrument.js';
import { hasKey, sendKeyRefusal } from './authorization.js';
import {
  createRouter,
  parseTarget,
  type Route,
  type RouteHandler,
  route,
  type SandboxCall,
  type SandboxHandler,
  sendSandboxError,
  sendSandboxJson,
  sendText,
  startResponse,
} from './sandbox-call.js';
import type { FaultChooser } from './sandbox-faults.js';

export interface ApiHostOptions {
  readonly exchanges: readonly SandboxExchange[];
  /** That of the day files. */
  readonly seed: number;
  readonly faults: FaultChooser;
  /** Routes of the account API, of the key check and of raw data. */
  readonly routes: readonly Route[];
}

/** The metadata host (`docs/spec/metadata-api.md#exchange-record`). */
export function createApiHost({ exchanges, seed, faults, routes }: ApiHostOptions): SandboxHandler {
  const withFault =
    <Name extends string>(handle: RouteHandler<Name>): RouteHandler<Name> =>
    (call, params) =>
      faults.next(parseTarget(call).pathname, (kind) => kind === 'not-json')
        ? sendText(call, 200, 'application/json', '<html>Service is being updated', {}, 'not-json')
        : handle(call, params);
  const sendNotFound = withFault((call) =>
    sendSandboxError(call, 404, 404, `There is nothing at ${parseTarget(call).pathname}`),
  );
  return createRouter(
    [
      ...routes,
      ...createInstrumentRoutes(exchanges, seed),
      route(
        'GET',
        '/v1/exchanges',
        withFault((call) => sendRevalidated(call, exchanges.map(toListEntry))),
      ),
      route(
        'GET',
        '/v1/exchanges/:id',
        withFault((call, { id }) => {
          const record = exchanges.find((exchange) => encodeURIComponent(exchange.id) === id);
          return record
            ? sendRevalidated(call, record)
            : sendSandboxError(call, 404, 100, `Exchange '${id}' is not supported`);
        }),
      ),
    ],
    (call) =>
      call.request.method === 'GET'
        ? sendNotFound(call, {})
        : sendSandboxError(call, 405, 405, 'Only GET is allowed'),
  );
}

/** The short form of a record for the exchange list. */
function toListEntry(record: SandboxExchange): object {
  const { datasets: _, availableSymbols: _s, incidentReports: _i, channelDetails: _c, ...short } = record;
  return short;
}

/** Sends JSON with an ETag, or 304 if the client has the same version (RFC 9110, section 13.1.2). */
async function sendRevalidated(call: SandboxCall, value: unknown): Promise<void> {
  const text = JSON.stringify(value);
  const etag = `"${createHash('md5').update(text).digest('hex')}"`;
  const knownTags = call.request.headers['if-none-match']
    ?.split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''));
  if (knownTags?.includes(etag)) {
    await startResponse(call, 304, { ETag: etag });
    call.response.end();
    return;
  }
  return sendText(call, 200, 'application/json', text, { ETag: etag });
}

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
 * The routes `GET /v1/instruments/:exchange[/:symbol]`.
 * @param seed that of the day files.
 */
function createInstrumentRoutes(exchanges: readonly SandboxExchange[], seed: number): readonly Route[] {
  const withInstruments =
    <Name extends string>(
      handle: (
        call: SandboxCall,
        instruments: readonly SandboxInstrument[],
        params: Readonly<Record<Name, string>>,
      ) => Promise<void>,
    ): RouteHandler<Name | 'exchange'> =>
    (call, params) => {
      const { exchange } = params;
      const record = exchanges.find(({ id }) => id === exchange);
      if (!record) return sendSandboxError(call, 400, 100, `Exchange '${exchange}' is not supported`);
      if (exchange !== OPEN_EXCHANGE && !hasKey(call)) return sendKeyRefusal(call);
      return handle(call, listInstruments(record, seed), params);
    };
  return [
    route(
      'GET',
      '/v1/instruments/:exchange',
      withInstruments((call, instruments) => {
        const filter = parseFilter(parseTarget(call).searchParams.get('filter') ?? '{}');
        if (!filter) return sendSandboxError(call, 400, 102, "'filter' param is not valid");
        return sendSandboxJson(
          call,
          200,
          instruments.filter((instrument) => matchesFilter(instrument, filter)),
        );
      }),
    ),
    route(
      'GET',
      '/v1/instruments/:exchange/:symbol',
      withInstruments<'symbol'>((call, instruments, { symbol }) => {
        const expected = decodeURIComponent(symbol).toUpperCase();
        const instrument = instruments.find(({ id }) => String(id).toUpperCase() === expected);
        return instrument
          ? sendSandboxJson(call, 200, instrument)
          : sendSandboxError(call, 404, 101, `There is no instrument '${symbol}'`);
      }),
    ),
  ];
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
