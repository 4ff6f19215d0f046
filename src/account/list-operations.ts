import { toOneLine } from '../base/text.js';
import type { JsonObject } from '../service/account-api.js';

/** A parameter of an operation (OpenAPI 3.1.0, section 4.8.12). */
export interface OperationParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  /** Whether a list in a query is sent as repeated parameters; otherwise as one, separated by commas. */
  readonly explode: boolean;
}

/** One operation of the account API, from its OpenAPI description. */
export interface AccountOperation {
  /** `operationId`, or method and path if it has none. */
  readonly id: string;
  readonly method: string;
  /** With `{name}` for each path parameter. */
  readonly path: string;
  readonly summary: string;
  readonly parameters: readonly OperationParameter[];
  /** Undefined for an operation that takes no JSON body. */
  readonly body: { readonly required: boolean } | undefined;
}

/** Path templates of printable ASCII, which needs no encoding in a URL apart from the parameters in braces. */
const PATH = /^\/[\x21-\x7e]*$/;
const JSON_TYPE = /^application\/json *(;|$)/i;
/** Longest name or summary that is shown. */
const MAX_TEXT_LENGTH = 200;
/** Base URL of the description, to resolve relative server URLs. Only the path of the result is used. */
const DESCRIPTION_URL = 'https://openapi.invalid/v1/account/openapi.json';
const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'];
/** Headers that a description cannot set (OpenAPI 3.1.0, section 4.8.12.2), and headers of the HTTP connection. */
const RESERVED_HEADERS =
  /^(accept|content-type|authorization|host|connection|content-length|transfer-encoding|upgrade|expect|cookie)$/i;

/** Lists the operations of an OpenAPI 3.0 or 3.1 document. Invalid entries are skipped. */
export function listOperations(document: JsonObject): readonly AccountOperation[] {
  const base = readBasePath(document);
  const paths = listMembers(getMember({ value: document, pointer: '' }, 'paths'));
  return paths.flatMap((location) => {
    const path = readLastName(location);
    if (!PATH.test(path)) return [];
    const item = resolveReference(document, location);
    return METHODS.flatMap((method) => {
      const operation = getMember(item, method);
      const exists = typeof operation.value === 'object' && operation.value !== null;
      return exists ? [readOperation(document, item, operation, method.toUpperCase(), base + path)] : [];
    });
  });
}

/**
 * Reads the base path of all operations from the first server (OpenAPI 3.1.0, section 4.8.5). The server's host is
 * ignored, since tokens are sent to the API host only.
 */
function readBasePath(document: JsonObject): string {
  const [server] = listMembers(getMember({ value: document, pointer: '' }, 'servers'));
  const url = server && readText(server, 'url');
  // Server variables are not supported.
  if (url === undefined || url.includes('{') || !URL.canParse(url, DESCRIPTION_URL)) return '';
  const { pathname } = new URL(url, DESCRIPTION_URL);
  // The path of `x:.example.com` has no leading slash: appended to the API host, it would change the host name.
  return pathname.startsWith('/') ? pathname.replace(/\/+$/, '') : '';
}

function readOperation(
  document: JsonObject,
  item: JsonLocation,
  operation: JsonLocation,
  method: string,
  path: string,
): AccountOperation {
  return {
    id: toOneLine(readText(operation, 'operationId') ?? `${method} ${path}`, MAX_TEXT_LENGTH),
    method,
    path,
    summary: toOneLine(
      readText(operation, 'summary') ?? readText(operation, 'description') ?? '',
      MAX_TEXT_LENGTH,
    ),
    parameters: readParameters(document, item, operation),
    body: readBody(document, operation),
  };
}

/** Parameters of the path and of the operation; the operation's parameters take precedence. */
function readParameters(
  document: JsonObject,
  item: JsonLocation,
  operation: JsonLocation,
): readonly OperationParameter[] {
  const parameters = new Map<string, OperationParameter>();
  for (const location of [item, operation].flatMap((owner) => listMembers(getMember(owner, 'parameters')))) {
    const parameter = readParameter(resolveReference(document, location));
    if (parameter) parameters.set(`${parameter.in} ${parameter.name}`, parameter);
  }
  return [...parameters.values()];
}

function readParameter(location: JsonLocation): OperationParameter | undefined {
  const name = readText(location, 'name');
  const where = readText(location, 'in');
  if (name === undefined || name !== toOneLine(name, MAX_TEXT_LENGTH)) return undefined;
  if (where !== 'path' && where !== 'query' && where !== 'header') return undefined;
  if (where === 'header' && RESERVED_HEADERS.test(name)) return undefined;
  return {
    name,
    in: where,
    required: where === 'path' || getMember(location, 'required').value === true,
    explode: getMember(location, 'explode').value !== false,
  };
}

function readBody(document: JsonObject, operation: JsonLocation): AccountOperation['body'] {
  const body = resolveReference(document, getMember(operation, 'requestBody'));
  // A media type may have parameters: `application/json; charset=utf-8`.
  const hasJson = listMembers(getMember(body, 'content')).some((media) =>
    JSON_TYPE.test(readLastName(media)),
  );
  return hasJson ? { required: getMember(body, 'required').value === true } : undefined;
}

function readText(location: JsonLocation, name: string): string | undefined {
  const { value } = getMember(location, name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The last name of a location's pointer. */
function readLastName({ pointer }: JsonLocation): string {
  const token = pointer.slice(pointer.lastIndexOf('/') + 1);
  return token.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** A value in a JSON document with its JSON pointer (RFC 6901). */
interface JsonLocation {
  readonly value: unknown;
  /** For example `/paths/~1v1~1account/get`; empty for the whole document. */
  readonly pointer: string;
}

/** A longer chain of references is treated as circular. */
const MAX_REFERENCES = 16;

/** A member of an object or an array; its value is undefined if it does not exist. */
function getMember({ value, pointer }: JsonLocation, name: string): JsonLocation {
  const exists = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
  const token = name.replaceAll('~', '~0').replaceAll('/', '~1');
  return {
    value: exists ? (value as Record<string, unknown>)[name] : undefined,
    pointer: `${pointer}/${token}`,
  };
}

/** The members of an object or an array; empty for any other value. */
export function listMembers(location: JsonLocation): readonly JsonLocation[] {
  const { value } = location;
  if (typeof value !== 'object' || value === null) return [];
  return Object.keys(value).map((name) => getMember(location, name));
}

/** Follows `$ref`s within the document. The value is undefined if one is external, circular, or has no target. */
function resolveReference(document: unknown, location: JsonLocation): JsonLocation {
  let current = location;
  for (let step = 0; step < MAX_REFERENCES; step++) {
    const reference = getMember(current, '$ref').value;
    if (typeof reference !== 'string') return current;
    current = locatePointer(document, reference);
  }
  return { value: undefined, pointer: location.pointer };
}

function locatePointer(document: unknown, reference: string): JsonLocation {
  const whole = { value: document, pointer: '' };
  if (!reference.startsWith('#/')) return { value: undefined, pointer: reference };
  return reference
    .slice('#/'.length)
    .split('/')
    .map((token) => decodeToken(token).replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<JsonLocation>(getMember, whole);
}

function decodeToken(token: string): string {
  try {
    return decodeURIComponent(token);
  } catch {
    return token;
  }
}
