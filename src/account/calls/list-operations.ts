import type { JsonObject } from '../../service/account/account-api.js';
import { toOneLine } from '../../service/http/read-error-response.js';
import { getMember, type JsonLocation, listMembers, resolveReference } from './json-location.js';

/** A parameter of an operation (OpenAPI 3.1.0, section 4.8.12). */
export interface OperationParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  /** How a list is written in a query: as one value each, or with commas. */
  readonly explode: boolean;
  /** JSON pointer to its schema; undefined where it has none. */
  readonly schema: string | undefined;
}

/** One operation of the account API, as its description tells. */
export interface AccountOperation {
  /** `operationId`, or method and path where it has none. */
  readonly id: string;
  readonly method: string;
  /** With `{name}` in place of each path parameter. */
  readonly path: string;
  readonly summary: string;
  readonly parameters: readonly OperationParameter[];
  /** Undefined for an operation that takes no JSON body. */
  readonly body: { readonly required: boolean; readonly schema: string | undefined } | undefined;
}

/** What a URL takes as it is; a template's braces are filled in. */
const PATH = /^\/[\x21-\x7e]*$/;
const JSON_TYPE = /^application\/json *(;|$)/i;
/** The longest name or summary that is shown. */
const MAX_TEXT = 200;
/** Where descriptions are, for servers that are relative to that. */
const DESCRIPTION = 'https://openapi.invalid/v1/account/openapi.json';
const METHODS = ['get', 'post', 'put', 'patch', 'delete', 'head', 'options'];
/** Headers that a description cannot set (OpenAPI 3.1.0, section 4.8.12.2), and those that frame a request. */
const OWN_HEADERS =
  /^(accept|content-type|authorization|host|connection|content-length|transfer-encoding|upgrade|expect|cookie)$/i;

/** The operations of an OpenAPI 3.0 or 3.1 document; what is none is passed over. */
export function listOperations(document: JsonObject): readonly AccountOperation[] {
  const base = basePathOf(document);
  const paths = listMembers(getMember({ value: document, pointer: '' }, 'paths'));
  return paths.flatMap((place) => {
    const path = nameOf(place);
    if (!PATH.test(path)) return [];
    const item = resolveReference(document, place);
    return METHODS.flatMap((method) => {
      const operation = getMember(item, method);
      const isThere = typeof operation.value === 'object' && operation.value !== null;
      return isThere ? [operationAt(document, item, operation, method.toUpperCase(), base + path)] : [];
    });
  });
}

/**
 * The path that all others are below, by the first server (OpenAPI 3.1.0, section 4.8.5). Of its host nothing is
 * taken: tokens go to the API host only.
 */
function basePathOf(document: JsonObject): string {
  const [server] = listMembers(getMember({ value: document, pointer: '' }, 'servers'));
  const url = server && textAt(server, 'url');
  // What has variables is left alone.
  if (url === undefined || url.includes('{') || !URL.canParse(url, DESCRIPTION)) return '';
  const { pathname } = new URL(url, DESCRIPTION);
  // `mailto:.example.com` has a path that is none: put behind our host's name, it would make another of it.
  return pathname.startsWith('/') ? pathname.replace(/\/+$/, '') : '';
}

function operationAt(
  document: JsonObject,
  item: JsonLocation,
  operation: JsonLocation,
  method: string,
  path: string,
): AccountOperation {
  return {
    id: toOneLine(textAt(operation, 'operationId') ?? `${method} ${path}`, MAX_TEXT),
    method,
    path,
    summary: toOneLine(textAt(operation, 'summary') ?? textAt(operation, 'description') ?? '', MAX_TEXT),
    parameters: parametersAt(document, item, operation),
    body: bodyAt(document, operation),
  };
}

/** The path's parameters and the operation's own, which stand over them. */
function parametersAt(
  document: JsonObject,
  item: JsonLocation,
  operation: JsonLocation,
): readonly OperationParameter[] {
  const parameters = new Map<string, OperationParameter>();
  for (const place of [item, operation].flatMap((owner) => listMembers(getMember(owner, 'parameters')))) {
    const parameter = parameterAt(resolveReference(document, place));
    if (parameter) parameters.set(`${parameter.in} ${parameter.name}`, parameter);
  }
  return [...parameters.values()];
}

function parameterAt(place: JsonLocation): OperationParameter | undefined {
  const name = textAt(place, 'name');
  const where = textAt(place, 'in');
  if (name === undefined || name !== toOneLine(name, MAX_TEXT)) return undefined;
  if (where !== 'path' && where !== 'query' && where !== 'header') return undefined;
  if (where === 'header' && OWN_HEADERS.test(name)) return undefined;
  return {
    name,
    in: where,
    required: where === 'path' || getMember(place, 'required').value === true,
    explode: getMember(place, 'explode').value !== false,
    schema: pointerOf(getMember(place, 'schema')),
  };
}

function bodyAt(document: JsonObject, operation: JsonLocation): AccountOperation['body'] {
  const body = resolveReference(document, getMember(operation, 'requestBody'));
  // A media type may have parameters: `application/json; charset=utf-8`.
  const media = listMembers(getMember(body, 'content')).find((one) => JSON_TYPE.test(nameOf(one)));
  if (!media) return undefined;
  return {
    required: getMember(body, 'required').value === true,
    schema: pointerOf(getMember(media, 'schema')),
  };
}

function pointerOf({ value, pointer }: JsonLocation): string | undefined {
  return value === undefined ? undefined : pointer;
}

function textAt(place: JsonLocation, name: string): string | undefined {
  const { value } = getMember(place, name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The last name of the way to a place. */
function nameOf({ pointer }: JsonLocation): string {
  const token = pointer.slice(pointer.lastIndexOf('/') + 1);
  return token.replaceAll('~1', '/').replaceAll('~0', '~');
}
