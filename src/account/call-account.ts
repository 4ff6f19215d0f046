import { usageError } from '../base/errors.js';
import { didYouMean, toOneLine } from '../base/text.js';
import {
  callOperation,
  fetchDescription,
  type JsonObject,
  type OperationRequest,
} from '../service/account-api.js';
import { type CallContext, RefusedError } from '../service/json-call.js';
import type { AccountSession } from './account-session.js';

/** Opens the session of the stored identity; called only if the service requires a token. */
type OpenSession = () => Promise<AccountSession>;

/** Lists the operations of the account API from its OpenAPI description. */
export async function describeOperations(
  context: CallContext,
  openSession: OpenSession,
): Promise<readonly AccountOperation[]> {
  return listOperations(await loadDescription(context, openSession));
}

/**
 * Calls an account operation. Its description says where each parameter is sent.
 * @returns the JSON of the response; undefined if the body is empty.
 * @throws usage error for an unknown operation, with a similar name, and for an unknown or missing parameter.
 */
export async function callAccount(
  context: CallContext,
  openSession: OpenSession,
  operationId: string,
  data: unknown,
): Promise<unknown> {
  const operations = await describeOperations(context, openSession);
  const operation = operations.find(({ id }) => id === operationId);
  if (!operation) {
    const suggestion = didYouMean(
      operationId,
      operations.map(({ id }) => id),
    );
    throw usageError(`unknown operation "${operationId}"${suggestion}; see tickhaul account --operations`);
  }
  const request = createOperationRequest(operation, data);
  const session = await openSession();
  return session.authorized((token) => callOperation(context, request, token));
}

/** The description may be public, so the token is sent only if the service requires it. */
async function loadDescription(context: CallContext, openSession: OpenSession): Promise<JsonObject> {
  try {
    return await fetchDescription(context, undefined);
  } catch (error) {
    if (!(error instanceof RefusedError) || (error.status !== 401 && error.status !== 403)) throw error;
    const session = await openSession();
    return session.authorized((token) => fetchDescription(context, token));
  }
}

/**
 * Creates the request of an operation from one JSON value. Members of an object that are named like parameters go
 * into path, query and headers, and the other members are the body. Any other value is the body. Only the service checks
 * the values themselves.
 * @throws usage error for an unknown or missing parameter, and for a value that a request cannot contain.
 */
export function createOperationRequest(operation: AccountOperation, data: unknown): OperationRequest {
  const { members, rest } = splitData(operation, data);
  const texts = new Map<OperationParameter, readonly string[]>();
  for (const parameter of operation.parameters) {
    const value = members.get(parameter.name);
    if (value !== undefined) texts.set(parameter, readTexts(parameter, value));
    else if (parameter.required) throw createMissingError(operation, parameter);
  }
  const body = buildBody(operation, rest);
  return {
    method: operation.method,
    path: buildPath(operation, texts) + buildQuery(texts),
    headers: buildHeaders(texts),
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
}

/** Texts that each part of a request can contain without changing their meaning; a path would resolve `..`. */
const SENDABLE: Readonly<Record<OperationParameter['in'], RegExp>> = {
  path: /^(?!\.{0,2}$)[^\p{Cc}\p{Cs}]+$/u,
  query: /^\P{Cs}*$/u,
  header: /^[\x20-\x7e]+$/,
};

interface SplitData {
  readonly members: ReadonlyMap<string, unknown>;
  /** Content of the body; undefined if nothing remains. */
  readonly rest: unknown;
}

function splitData(operation: AccountOperation, data: unknown): SplitData {
  if (typeof data !== 'object' || data === null || Array.isArray(data))
    return { members: new Map(), rest: data };
  const names = new Set(operation.parameters.map(({ name }) => name));
  const entries = Object.entries(data);
  const others = entries.filter(([name]) => !names.has(name));
  return {
    members: new Map(entries.filter(([name]) => names.has(name))),
    rest: others.length === 0 ? undefined : Object.fromEntries(others),
  };
}

function createMissingError(
  { id, method, path }: AccountOperation,
  { name, in: where }: OperationParameter,
): Error {
  return usageError(
    `${id} (${method} ${path}) requires ${name} (in its ${where}); add it with --data '{"${name}": …}'`,
  );
}

function buildBody({ id, body, parameters }: AccountOperation, rest: unknown): unknown {
  if (!body) {
    if (rest === undefined) return undefined;
    const [first] = typeof rest === 'object' && rest !== null ? Object.keys(rest) : [];
    if (first === undefined)
      throw usageError(`${id} takes no body; set --data to an object of its parameters`);
    const known = parameters.map(({ name }) => name);
    const valid = known.length === 0 ? 'it has none' : `it has ${known.join(', ')}`;
    throw usageError(`${id} has no parameter "${first}"${didYouMean(first, known) || `; ${valid}`}`);
  }
  if (rest === undefined && !body.required) return undefined;
  return rest === undefined ? {} : rest;
}

function readTexts({ name, in: where }: OperationParameter, value: unknown): readonly string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.map((item) => {
    const text = typeof item === 'object' ? undefined : String(item);
    const isUnsendable = text === undefined || !SENDABLE[where].test(text);
    if (isUnsendable) throw usageError(`--data: ${name} cannot be sent in the ${where} of a request`);
    return text;
  });
}

function buildPath(
  { id, path }: AccountOperation,
  texts: ReadonlyMap<OperationParameter, readonly string[]>,
): string {
  const byName = new Map(
    [...texts]
      .filter(([parameter]) => parameter.in === 'path')
      .map(([parameter, values]) => [parameter.name, values]),
  );
  return path.replace(/\{([^{}]*)\}/g, (_, name: string) => {
    const values = byName.get(name);
    if (!values) throw usageError(`${id} does not describe its path parameter "${name}"`);
    return values.map(encodeURIComponent).join(',');
  });
}

function buildQuery(texts: ReadonlyMap<OperationParameter, readonly string[]>): string {
  const pairs = [...texts]
    .filter(([parameter]) => parameter.in === 'query')
    .flatMap(([{ name, explode }, values]) => {
      const encoded = values.map(encodeURIComponent);
      return (explode ? encoded : [encoded.join(',')]).map((text) => `${encodeURIComponent(name)}=${text}`);
    });
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

function buildHeaders(texts: ReadonlyMap<OperationParameter, readonly string[]>): Record<string, string> {
  const headers = [...texts].filter(([parameter]) => parameter.in === 'header');
  return Object.fromEntries(headers.map(([{ name }, values]) => [name.toLowerCase(), values.join(',')]));
}

/** A parameter of an operation (OpenAPI 3.1.0, section 4.8.12). */
interface OperationParameter {
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
function listMembers(location: JsonLocation): readonly JsonLocation[] {
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
