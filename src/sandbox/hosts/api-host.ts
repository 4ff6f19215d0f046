import { createHash } from 'node:crypto';
import type { Archive } from '../archive/synthetic-archive.js';
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
import { createInstrumentsHost } from './instruments-host.js';

export interface ApiHostOptions {
  readonly archive: Archive;
  /** That of the day files. */
  readonly seed: number;
  readonly faults: FaultChooser;
  /** Handles calls of the account API and the key check; undefined for others. */
  readonly handleAccountCall: (call: SandboxCall) => Promise<void> | undefined;
  /** Handles requests for slices of raw data; undefined for others. */
  readonly handleFeedCall: (call: SandboxCall) => Promise<void> | undefined;
}
/** The metadata host (`docs/spec/metadata-api.md#exchange-record`). */
export function createApiHost({
  archive,
  seed,
  faults,
  handleAccountCall,
  handleFeedCall,
}: ApiHostOptions): SandboxHandler {
  const { exchanges } = archive;
  const handleInstrumentCall = createInstrumentsHost(exchanges, seed);
  return async (call) => {
    const { pathname } = parseTarget(call);
    const account = handleAccountCall(call);
    if (account) return account;
    if (call.request.method !== 'GET') return sendSandboxError(call, 405, 405, 'Only GET is allowed');
    const response = handleFeedCall(call) ?? handleInstrumentCall(call);
    if (response) return response;
    if (faults.next(pathname, (kind) => kind === 'not-json')) {
      return sendText(call, 200, 'application/json', '<html>Service is being updated', {}, 'not-json');
    }
    if (pathname === '/v1/exchanges') return sendRevalidated(call, exchanges.map(toListEntry));
    const id = /^\/v1\/exchanges\/([^/]+)$/.exec(pathname)?.[1];
    if (id === undefined) return sendSandboxError(call, 404, 404, `There is nothing at ${pathname}`);
    const record = exchanges.find((exchange) => encodeURIComponent(exchange.id) === id);
    return record
      ? sendRevalidated(call, record)
      : sendSandboxError(call, 404, 100, `Exchange '${id}' is not supported`);
  };
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
