import assert from 'node:assert/strict';
import { createOperationRequest, listOperations } from '../../src/account/call-account.js';
import type { OperationRequest } from '../../src/service/account-api.js';

/** A parameter as OpenAPI describes it. */
const parameter = (name: string, where: string, schema: object, more: object = {}): object => ({
  name,
  in: where,
  schema,
  ...more,
});

/** A description with operations and entries that are none. */
export const DOCUMENT = {
  openapi: '3.1.0',
  servers: [{ url: 'https://elsewhere.example.com' }],
  paths: {
    '/v1/keys/{keyId}': {
      parameters: [parameter('keyId', 'path', { type: 'string', minLength: 2 }, { required: true })],
      get: {
        operationId: 'getKey',
        parameters: [
          { $ref: '#/components/parameters/Fields' },
          parameter('compact', 'query', { type: 'array', items: { type: 'integer' } }, { explode: false }),
          parameter('X-Reason', 'header', { type: 'string' }),
          parameter('Authorization', 'header', { type: 'string' }),
          parameter('session', 'cookie', { type: 'string' }),
        ],
      },
      put: {
        operationId: 'putKey',
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { $ref: '#/components/schemas/Key' } } },
        },
      },
      delete: {},
    },
    '/v1/list': {
      post: {
        operationId: 'postList',
        requestBody: { content: { 'application/json': { schema: { type: 'array', maxItems: 2 } } } },
      },
    },
    '/v1/any': {
      post: {
        operationId: 'postAny',
        // A property name that every object inherits.
        parameters: [parameter('constructor', 'query', { type: 'string' })],
        requestBody: {
          required: true,
          content: { 'text/plain': {}, 'application/json; charset=utf-8': {} },
        },
      },
    },
    'no-slash': { get: { operationId: 'never' } },
  },
  components: {
    parameters: { Fields: parameter('fields', 'query', { type: 'array', items: { type: 'string' } }) },
    schemas: {
      Key: {
        type: 'object',
        required: ['until'],
        additionalProperties: false,
        properties: {
          until: { type: 'string', format: 'date-time' },
          owner: { $ref: '#/components/schemas/Owner' },
        },
      },
      Owner: { type: 'object', properties: { age: { type: 'integer' } } },
    },
  },
};

/** Creates the request for an operation of a description from its data. */
export function createRequest(
  id: string,
  data: unknown,
  document: Record<string, unknown> = DOCUMENT,
): OperationRequest {
  const operation = listOperations(document).find((candidate) => candidate.id === id);
  assert.ok(operation, id);
  return createOperationRequest(operation, data);
}
