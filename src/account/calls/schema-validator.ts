import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { TickhaulError } from '../../base/errors.js';
import { toOneLine } from '../../base/text.js';
import type { JsonObject } from '../../service/account/account-api.js';

/** Identifies the document in references. No request is sent to it. */
const DOCUMENT_URI = 'https://openapi.invalid/document';
/** Longest reason that is shown. */
const MAX_QUOTE_LENGTH = 200;

/** Validates a value against the schema at a JSON pointer. Returns the problem; undefined if the value is valid. */
export type ValidateValue = (pointer: string, value: unknown) => string | undefined;

/**
 * Creates a validator for the schemas of an OpenAPI document: JSON Schema 2020-12, and from OpenAPI 3.0 `nullable` and
 * boolean exclusive bounds.
 */
export function createSchemaValidator(document: JsonObject): ValidateValue {
  const ajv = new Ajv2020({ strict: false, validateSchema: false, logger: false, code: { regExp } });
  formats.default(ajv);
  const throwInvalidSchema = (cause: unknown): never => {
    const reason = toOneLine(cause instanceof Error ? cause.message : String(cause), MAX_QUOTE_LENGTH);
    throw new TickhaulError(
      'bad_answer',
      `the description of the account operations has an invalid schema, so --data cannot be checked: "${reason}"`,
      { cause },
    );
  };
  try {
    ajv.addSchema(isOpenApi30(document) ? convertExclusiveBounds(document) : document, DOCUMENT_URI);
  } catch (error) {
    throwInvalidSchema(error);
  }
  return (pointer, value) => {
    const fragment = pointer.split('/').map(encodeURIComponent).join('/');
    try {
      if (ajv.validate({ $ref: `${DOCUMENT_URI}#${fragment}` }, value)) return undefined;
    } catch (error) {
      return throwInvalidSchema(error);
    }
    const issue = ajv.errors?.[0];
    const where = issue?.instancePath.slice(1).replaceAll('/', '.') ?? '';
    // The message quotes names and patterns of the schema, which may contain control characters.
    return toOneLine(`${where} ${issue?.message ?? 'is invalid'}`, MAX_QUOTE_LENGTH);
  };
}

/** Many descriptions contain patterns that are valid only without the strict flag `u`. */
const regExp = Object.assign(
  (pattern: string, flags: string): RegExp => {
    try {
      return new RegExp(pattern, flags);
    } catch {
      return new RegExp(pattern);
    }
  },
  // Required by ajv for standalone code, which is not generated here.
  { code: 'regExp' },
);

function isOpenApi30({ openapi }: JsonObject): boolean {
  return typeof openapi === 'string' && openapi.startsWith('3.0.');
}

const BOUNDS = [
  ['minimum', 'exclusiveMinimum'],
  ['maximum', 'exclusiveMaximum'],
] as const;

/** OpenAPI 3.0 marks a bound as exclusive with a boolean; in JSON Schema 2020-12 the exclusive bound is a number. */
function convertExclusiveBounds(document: JsonObject): JsonObject {
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
