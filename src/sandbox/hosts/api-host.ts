import { createHash } from 'node:crypto';
import { createRouter, type Route, type RouteHandler, route } from '../http/router.js';
import {
  parseTarget,
  type SandboxCall,
  type SandboxHandler,
  sendSandboxError,
  sendText,
  startResponse,
} from '../http/sandbox-call.js';
import type { FaultChooser } from '../http/sandbox-faults.js';
import type { SandboxExchange } from '../market/synthetic-exchanges.js';
import { createInstrumentRoutes } from './instruments-host.js';

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
