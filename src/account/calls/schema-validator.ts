import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { TickhaulError } from '../../base/errors.js';
import type { JsonObject } from '../../service/account/account-api.js';
import { toOneLine } from '../../service/http/read-error-response.js';

/** The document's name for references; nothing is ever asked for there. */
const DOCUMENT = 'https://openapi.invalid/document';
/** The longest reason that is shown. */
const MAX_QUOTE = 200;

/** Says what is wrong with a value by the schema at a JSON pointer; undefined where it is right. */
export type ValidateValue = (pointer: string, value: unknown) => string | undefined;

/**
 * Checks values by the schemas of an OpenAPI document (JSON Schema 2020-12, and what 3.0 has of its own: `nullable`,
 * and exclusive bounds).
 */
export function createSchemaValidator(document: JsonObject): ValidateValue {
  const ajv = new Ajv2020({ strict: false, validateSchema: false, logger: false, code: { regExp } });
  formats.default(ajv);
  const unreadable = (cause: unknown): never => {
    const why = toOneLine(cause instanceof Error ? cause.message : String(cause), MAX_QUOTE);
    throw new TickhaulError(
      'bad_answer',
      `the description of the account operations has a wrong schema, so that --data cannot be checked: "${why}"`,
      { cause },
    );
  };
  try {
    ajv.addSchema(isOpenApi30(document) ? withBounds(document) : document, DOCUMENT);
  } catch (error) {
    unreadable(error);
  }
  return (pointer, value) => {
    const fragment = pointer.split('/').map(encodeURIComponent).join('/');
    try {
      if (ajv.validate({ $ref: `${DOCUMENT}#${fragment}` }, value)) return undefined;
    } catch (error) {
      return unreadable(error);
    }
    const issue = ajv.errors?.[0];
    const where = issue?.instancePath.slice(1).replaceAll('/', '.') ?? '';
    // It quotes the schema: names, patterns.
    return toOneLine(`${where} ${issue?.message ?? 'is wrong'}`, MAX_QUOTE);
  };
}

/** Many descriptions hold patterns that are right only without the strictness of the flag `u`. */
const regExp = Object.assign(
  (pattern: string, flags: string): RegExp => {
    try {
      return new RegExp(pattern, flags);
    } catch {
      return new RegExp(pattern);
    }
  },
  // Its name in ajv's standalone code, which is not made here.
  { code: 'regExp' },
);

function isOpenApi30({ openapi }: JsonObject): boolean {
  return typeof openapi === 'string' && openapi.startsWith('3.0.');
}

const BOUNDS = [
  ['minimum', 'exclusiveMinimum'],
  ['maximum', 'exclusiveMaximum'],
] as const;

/** 3.0 marks a bound as exclusive by a boolean beside it; in JSON Schema of today the exclusive bound is a number. */
function withBounds(document: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(document), (_, value: unknown) => {
    if (typeof value !== 'object' || value === null) return value;
    const schema = value as Record<string, unknown>;
    for (const [bound, exclusive] of BOUNDS) {
      if (schema[exclusive] === true) {
        schema[exclusive] = schema[bound];
        delete schema[bound];
      } else if (schema[exclusive] === false) delete schema[exclusive];
    }
    return schema;
  }) as JsonObject;
}
