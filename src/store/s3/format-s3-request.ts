import { unescape as decoded } from 'node:querystring';
import { sanitizeForTerminal } from '../../base/sanitize-for-terminal.js';

/** Query parameters by name; null for a parameter without a value. */
export type QueryParameters = Readonly<Record<string, string | string[] | null>>;

/** The parts of a request that may be logged. */
interface LoggedS3Request {
  readonly method: string;
  /** With its port, unless it is the default port. */
  readonly host: string;
  /** Percent-encoded. */
  readonly path: string;
  readonly query: QueryParameters;
  /** Keys are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Query parameters that are shown with their value. Parameters that are not listed here may be secret. */
const SHOWN_PARAMETERS = new Set(['list-type', 'prefix', 'partNumber']);
/** Query parameters that are shown without their value. */
const NAMED_PARAMETERS = new Set(['continuation-token', 'delete', 'key-marker', 'uploadId', 'uploads']);

/** Formats a request for the log: method, address and byte range, without secrets. */
export function formatS3Request({ method, host, path, query, headers }: LoggedS3Request): string {
  const parts = Object.entries(query).flatMap(([name, value]) => {
    if (NAMED_PARAMETERS.has(name)) return [name];
    return SHOWN_PARAMETERS.has(name) ? [`${name}=${String(value)}`] : [];
  });
  const shownQuery = parts.length === 0 ? '' : `?${parts.join('&')}`;
  const { range } = headers;
  const bytes = range === undefined ? '' : ` ${range}`;
  return sanitizeForTerminal(`${method} ${host}${decoded(path)}${shownQuery}${bytes}`);
}
