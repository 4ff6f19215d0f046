import type { ErrorCode } from '../../base/errors.js';
import { TickhaulError } from '../../base/errors.js';
import type { ServeOptions } from '../serve-options.js';

/** Those that are passed on as the service gave them (contract, Serve). */
const FORWARDED_STATUSES = new Set([400, 401, 403, 404, 429]);

const STATUS_BY_CODE: Readonly<Partial<Record<ErrorCode, number>>> = {
  usage: 400,
  rejected: 400,
  bad_key: 401,
  ip_locked: 403,
  unavailable: 404,
  rate_limited: 429,
  transfer_limit: 429,
  bug: 500,
  disk: 500,
  path_taken: 500,
  unreadable: 500,
};

/** The service can't be reached, is silent, or gave up for now. */
const SERVICE_UNAVAILABLE = 503;

/** The status that says why a request can't be answered. */
export function errorToStatus(error: unknown, { feeds }: ServeOptions): number {
  if (!(error instanceof TickhaulError)) return 500;
  const { code, status } = error;
  if (status !== undefined && FORWARDED_STATUSES.has(status)) return status;
  if (code === 'no_access') return feeds.client.config.apiKey === undefined ? 401 : 403;
  // What isn't exported yet is a wrong period; under --offline it may be there another time.
  if (code === 'not_exported') return feeds.offline ? SERVICE_UNAVAILABLE : 400;
  return STATUS_BY_CODE[code] ?? SERVICE_UNAVAILABLE;
}
