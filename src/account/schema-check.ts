import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { TickhaulError } from '../errors.js';
import type { JsonObject } from '../service/account-api.js';

/** The document's name for references; nothing is ever asked for there. */
const DOCUMENT = 'https://openapi.invalid/document';

/** Says what is wrong with a value by the schema at a JSON pointer; undefined where it is right. */
export type SchemaCheck = (pointer: string, value: unknown) => string | undefined;

/** Checks values by the schemas of an OpenAPI document (JSON Schema 2020-12, and 3.0's `nullable`). */
export function schemaCheck(document: JsonObject): SchemaCheck {
  const ajv = new Ajv2020({ strict: false, validateSchema: false, logger: false });
  formats.default(ajv);
  const unreadable = (cause: unknown): never => {
    throw new TickhaulError('bad_answer', 'the description of the account operations has a wrong schema', {
      cause,
    });
  };
  try {
    ajv.addSchema(document, DOCUMENT);
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
    return `${issue?.instancePath.slice(1).replaceAll('/', '.') ?? ''} ${issue?.message ?? 'is wrong'}`.trim();
  };
}
