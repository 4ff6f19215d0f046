import type { ErrorCode } from '../../base/errors.js';
import { TickhaulError } from '../../base/errors.js';
import type { ServeOptions } from '../serve-options.js';

/** Statuses of the service that are passed on (`docs/spec/local-server.md#http-answers`). */
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

/** The service is unreachable, silent or failed temporarily. */
const SERVICE_UNAVAILABLE = 503;

/** The HTTP status for an error. */
export function errorToStatus(error: unknown, { feeds }: ServeOptions): number {
  if (!(error instanceof TickhaulError)) return 500;
  const { code, status } = error;
  // A server before the service, or the address of a redirect, refused the request, and not the service.
  const isRefusalElsewhere =
    (code === 'server_error' || code === 'bad_answer') && (status === 401 || status === 403);
  if (!isRefusalElsewhere && status !== undefined && FORWARDED_STATUSES.has(status)) return status;
  if (code === 'no_access') return feeds.client.config.apiKey === undefined ? 401 : 403;
  // A period that is not exported yet is the client's error; with --offline its data may become available.
  if (code === 'not_exported') return feeds.offline ? SERVICE_UNAVAILABLE : 400;
  return STATUS_BY_CODE[code] ?? SERVICE_UNAVAILABLE;
}
