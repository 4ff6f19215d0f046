import { TickhaulError, usageError } from '../../base/errors.js';
import { toRunFailure } from '../../events/run-failure.js';
import { type InstrumentFilter, parseInstrumentFilter } from '../../service/records/fetch-instruments.js';
import { errorToStatus, type HttpCall, logBug, sendJsonResponse } from './http-call.js';

/** The path of an exchange's instruments, or of one of them. */
export const INSTRUMENTS_PATH = /^\/v1\/instruments\/([^/]+)(?:\/([^/]+))?$/;

/**
 * `GET /v1/instruments/:exchange[/:symbol]`: instruments as the service describes them, with the key of the server, or
 * from the copy on disk (`docs/spec/local-server.md#instruments`).
 */
export async function handleInstruments(call: HttpCall): Promise<void> {
  const { context, path, query, response } = call;
  const { feeds, records } = context.options;
  const stop = new AbortController();
  response.once('close', () => stop.abort(new TickhaulError('reset', 'the client left')));
  try {
    const [exchange = '', symbol] = (INSTRUMENTS_PATH.exec(path) ?? []).slice(1).map(decodeSegment);
    const filter = readFilter(query);
    const { fetchInstrument, fetchInstruments } = await import('../../service/records/fetch-instruments.js');
    const options = { cache: records, offline: feeds.offline, signal: stop.signal };
    const instruments =
      symbol === undefined
        ? await fetchInstruments(feeds.client, exchange, filter, options)
        : await fetchInstrument(feeds.client, exchange, symbol, options);
    sendJsonResponse(call, 200, instruments);
  } catch (error) {
    if (response.destroyed) return;
    logBug(context, error);
    const code = errorToStatus(error, context.options);
    // Clients of the service expect a number beside the message.
    sendJsonResponse(call, code, { code, message: toRunFailure(error).error.message });
  }
}

function decodeSegment(segment: string | undefined): string | undefined {
  try {
    return segment === undefined ? undefined : decodeURIComponent(segment);
  } catch {
    throw usageError(`"${segment}" is not URL-encoded`);
  }
}

function readFilter(query: URLSearchParams): InstrumentFilter {
  const text = query.get('filter')?.trim();
  const filter = text ? parseInstrumentFilter(text) : {};
  if (filter) return filter;
  throw usageError(
    `filter: expected a JSON object, as {"baseCurrency":"BTC"}, found "${text?.slice(0, 80)}"`,
  );
}
