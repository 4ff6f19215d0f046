import { usageError } from '../base/errors.js';
import { didYouMean } from '../base/nearest-names.js';
import {
  callOperation,
  fetchDescription,
  type JsonObject,
  type OperationRequest,
} from '../service/account-api.js';
import { type CallContext, RefusedError } from '../service/json-call.js';
import type { AccountSession } from './account-session.js';
import { type AccountOperation, listOperations, type OperationParameter } from './list-operations.js';

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
