import { unescape as decoded } from 'node:querystring';
import { sanitizeForTerminal } from '../../base/sanitize-for-terminal.js';

/** A part of a query by its name; null where it has no value. */
export type QueryParameters = Readonly<Record<string, string | string[] | null>>;

/** What may be told of a request. */
interface LoggedS3Request {
  readonly method: string;
  /** With its port, where that is no usual one. */
  readonly host: string;
  /** Percent-encoded. */
  readonly path: string;
  readonly query: QueryParameters;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Of a query, what tells one request to a store from another. Anything else may be secret. */
const SHOWN_PARAMETERS = new Set(['list-type', 'prefix', 'partNumber']);
/** What makes it another request by being there; the value is noise, or nobody's business. */
const NAMED_PARAMETERS = new Set(['continuation-token', 'delete', 'key-marker', 'uploadId', 'uploads']);

/** A request for messages: method, address, and which bytes it asks for; nothing secret. */
export function formatS3Request({ method, host, path, query, headers }: LoggedS3Request): string {
  const parts = Object.entries(query).flatMap(([name, value]) => {
    if (NAMED_PARAMETERS.has(name)) return [name];
    return SHOWN_PARAMETERS.has(name) ? [`${name}=${String(value)}`] : [];
  });
  const asked = parts.length === 0 ? '' : `?${parts.join('&')}`;
  const { range } = headers;
  const bytes = range === undefined ? '' : ` ${range}`;
  return sanitizeForTerminal(`${method} ${host}${decoded(path)}${asked}${bytes}`);
}
