import { createHash } from 'node:crypto';
import type { Archive } from './archive.js';
import { hasKey, refuseKey } from './authorization.js';
import { begin, type Call, type Handler, sendError, sendJson, sendText, targetOf } from './call.js';
import type { ExchangeRecord } from './exchanges.js';
import type { FaultChooser } from './faults.js';

/** The metadata host (service interface, Exchange metadata API; service facts, Metadata). */
export function apiHost({ exchanges }: Archive, faults: FaultChooser): Handler {
  return async (call) => {
    const { pathname } = targetOf(call);
    if (call.request.method !== 'GET') return sendError(call, 405, 405, 'Only GET is allowed');
    if (faults.next(pathname, (kind) => kind === 'not-json')) {
      return sendText(call, 200, 'application/json', '<html>Service is being updated', {}, 'not-json');
    }
    if (pathname === '/v1/exchanges') return sendRevalidated(call, exchanges.map(listed));
    if (pathname === '/v1/api-key-info') {
      return hasKey(call) ? sendJson(call, 200, exchanges.map(accessTo)) : refuseKey(call);
    }
    const id = /^\/v1\/exchanges\/([^/]+)$/.exec(pathname)?.[1];
    if (id === undefined) return sendError(call, 404, 404, `There is nothing at ${pathname}`);
    const record = exchanges.find((exchange) => encodeURIComponent(exchange.id) === id);
    return record
      ? sendRevalidated(call, record)
      : sendError(call, 404, 100, `Exchange '${id}' is not supported`);
  };
}

/** The short form of a record, as it stands in the list. */
function listed(record: ExchangeRecord): object {
  const { datasets: _, availableSymbols: _s, incidentReports: _i, channelDetails: _c, ...short } = record;
  return short;
}

function accessTo(record: ExchangeRecord): object {
  return {
    exchange: record.id,
    accessType: 'api-key',
    from: record.availableSince,
    to: record.datasets?.exportedUntil ?? record.availableTo ?? record.availableSince,
    symbols: [],
    dataPlan: 'pro',
  };
}

/** Sends JSON with an ETag, or 304 to a client that has it already (RFC 9110, section 13.1.2). */
async function sendRevalidated(call: Call, value: unknown): Promise<void> {
  const text = JSON.stringify(value);
  const etag = `"${createHash('md5').update(text).digest('hex')}"`;
  const known = call.request.headers['if-none-match']
    ?.split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''));
  if (known?.includes(etag)) {
    await begin(call, 304, { ETag: etag });
    call.response.end();
    return;
  }
  return sendText(call, 200, 'application/json', text, { ETag: etag });
}
