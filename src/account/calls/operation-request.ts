import { usageError } from '../../base/errors.js';
import { didYouMean } from '../../base/nearest-names.js';
import type { JsonObject, OperationRequest } from '../../service/account/account-api.js';
import type { AccountOperation, OperationParameter } from './list-operations.js';
import { createSchemaValidator, type ValidateValue } from './schema-validator.js';

/**
 * Makes the request of an operation from one JSON value. Of an object, the members that are named as parameters
 * go into path, query and headers, and the others are the body; anything else is the body as a whole.
 * @throws usage error for what the description does not allow; TickhaulError `bad_answer` for a description
 * whose schemas can't be read.
 */
export function createOperationRequest(
  document: JsonObject,
  operation: AccountOperation,
  data: unknown,
): OperationRequest {
  const check = createSchemaValidator(document);
  const { members, rest } = split(operation, data);
  const texts = new Map<OperationParameter, readonly string[]>();
  for (const parameter of operation.parameters) {
    const value = members.get(parameter.name);
    if (value !== undefined) texts.set(parameter, checkedTexts(check, parameter, value));
    else if (parameter.required) throw missing(operation, parameter);
  }
  const body = bodyOf(check, operation, rest);
  return {
    method: operation.method,
    path: pathOf(operation, texts) + queryOf(texts),
    headers: headersOf(texts),
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
}

/** What a place of a request can carry, and does not take for something else, as a path does `..`. */
const SENDABLE: Readonly<Record<OperationParameter['in'], RegExp>> = {
  path: /^(?!\.{0,2}$)[^\p{Cc}\p{Cs}]+$/u,
  query: /^\P{Cs}*$/u,
  header: /^[\x20-\x7e]+$/,
};

interface Split {
  readonly members: ReadonlyMap<string, unknown>;
  /** What is left for the body; undefined for nothing. */
  readonly rest: unknown;
}

function split(operation: AccountOperation, data: unknown): Split {
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

function missing({ id, method, path }: AccountOperation, { name, in: where }: OperationParameter): Error {
  return usageError(
    `${id} (${method} ${path}) needs ${name} (in its ${where}): give it with --data '{"${name}": …}'`,
  );
}

function bodyOf(check: ValidateValue, { id, body, parameters }: AccountOperation, rest: unknown): unknown {
  if (!body) {
    if (rest === undefined) return undefined;
    const [first] = typeof rest === 'object' && rest !== null ? Object.keys(rest) : [];
    if (first === undefined) throw usageError(`${id} takes no body; give --data an object of its parameters`);
    const known = parameters.map(({ name }) => name);
    const taken = known.length === 0 ? 'it takes none' : `it takes ${known.join(', ')}`;
    throw usageError(`${id} has no parameter "${first}"${didYouMean(first, known) || `; ${taken}`}`);
  }
  if (rest === undefined && !body.required) return undefined;
  const value = rest === undefined ? {} : rest;
  const problem = body.schema === undefined ? undefined : check(body.schema, value);
  if (problem !== undefined) throw usageError(`--data: the body of ${id} is not right: ${problem}`);
  return value;
}

function checkedTexts(
  check: ValidateValue,
  parameter: OperationParameter,
  value: unknown,
): readonly string[] {
  const { name, schema } = parameter;
  const problem = schema === undefined ? undefined : check(schema, value);
  if (problem !== undefined) throw usageError(`--data: ${name} is not right: ${problem}`);
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.map((one) => {
    const text = typeof one === 'object' ? undefined : String(one);
    const isWrong = text === undefined || !SENDABLE[parameter.in].test(text);
    if (isWrong) throw usageError(`--data: ${name} cannot be sent in the ${parameter.in} of a request`);
    return text;
  });
}

function pathOf(
  { id, path }: AccountOperation,
  texts: ReadonlyMap<OperationParameter, readonly string[]>,
): string {
  const byName = new Map(
    [...texts].filter(([one]) => one.in === 'path').map(([one, all]) => [one.name, all]),
  );
  return path.replace(/\{([^{}]*)\}/g, (_, name: string) => {
    const values = byName.get(name);
    if (!values) throw usageError(`${id} does not describe its path parameter "${name}"`);
    return values.map(encodeURIComponent).join(',');
  });
}

function queryOf(texts: ReadonlyMap<OperationParameter, readonly string[]>): string {
  const pairs = [...texts]
    .filter(([one]) => one.in === 'query')
    .flatMap(([{ name, explode }, values]) => {
      const shown = values.map(encodeURIComponent);
      return (explode ? shown : [shown.join(',')]).map((text) => `${encodeURIComponent(name)}=${text}`);
    });
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

function headersOf(texts: ReadonlyMap<OperationParameter, readonly string[]>): Record<string, string> {
  const headers = [...texts].filter(([one]) => one.in === 'header');
  return Object.fromEntries(headers.map(([{ name }, values]) => [name.toLowerCase(), values.join(',')]));
}
