import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { listOperations } from '../../../src/account/calls/openapi.js';
import { operationRequest } from '../../../src/account/calls/operation-request.js';
import { TickhaulError } from '../../../src/base/errors.js';
import type { OperationRequest } from '../../../src/service/account/account-api.js';

const parameter = (name: string, where: string, schema: object, more: object = {}): object => ({
  name,
  in: where,
  schema,
  ...more,
});

const DOCUMENT = {
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
        // A name that every object has.
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

function requestOf(
  id: string,
  data: unknown,
  document: Record<string, unknown> = DOCUMENT,
): OperationRequest {
  const operation = listOperations(document).find((one) => one.id === id);
  assert.ok(operation, id);
  return operationRequest(document, operation, data);
}

test('operations are listed with their path’s parameters; what is none is passed over', () => {
  assert.deepEqual(
    listOperations(DOCUMENT).map(({ id, method, path, parameters, body }) => ({
      id,
      at: `${method} ${path}`,
      takes: parameters.map(({ name, required }) => (required ? `${name}!` : name)),
      body: body?.required,
    })),
    [
      {
        id: 'getKey',
        at: 'GET /v1/keys/{keyId}',
        takes: ['keyId!', 'fields', 'compact', 'X-Reason'],
        body: undefined,
      },
      { id: 'putKey', at: 'PUT /v1/keys/{keyId}', takes: ['keyId!'], body: true },
      {
        id: 'DELETE /v1/keys/{keyId}',
        at: 'DELETE /v1/keys/{keyId}',
        takes: ['keyId!'],
        body: undefined,
      },
      { id: 'postList', at: 'POST /v1/list', takes: [], body: false },
      { id: 'postAny', at: 'POST /v1/any', takes: ['constructor'], body: true },
    ],
  );
});

for (const [id, data, request] of [
  ['getKey', { keyId: 'k1' }, { method: 'GET', path: '/v1/keys/k1', headers: {} }],
  ['getKey', { keyId: '../é/?#' }, { method: 'GET', path: '/v1/keys/..%2F%C3%A9%2F%3F%23', headers: {} }],
  [
    'getKey',
    { keyId: 'k1', fields: ['a&b', 'c'], compact: [1, 2], 'X-Reason': 'why not' },
    {
      method: 'GET',
      path: '/v1/keys/k1?fields=a%26b&fields=c&compact=1%2C2',
      headers: { 'x-reason': 'why not' },
    },
  ],
  [
    'putKey',
    { keyId: 'k1', until: '2024-03-01T00:00:00Z', owner: { age: 3 } },
    {
      method: 'PUT',
      path: '/v1/keys/k1',
      headers: {},
      body: '{"until":"2024-03-01T00:00:00Z","owner":{"age":3}}',
    },
  ],
  ['postList', [1, 2], { method: 'POST', path: '/v1/list', headers: {}, body: '[1,2]' }],
  ['postAny', null, { method: 'POST', path: '/v1/any', headers: {}, body: 'null' }],
  ['postAny', undefined, { method: 'POST', path: '/v1/any', headers: {}, body: '{}' }],
  ['postList', undefined, { method: 'POST', path: '/v1/list', headers: {} }],
] as const) {
  test(`${id} of ${JSON.stringify(data)}`, () => {
    const { path, ...rest } = requestOf(id, data);
    // A list in one value may have its commas as they are, or encoded.
    assert.deepEqual({ ...rest, path: path.replaceAll('1,2', '1%2C2') }, request);
  });
}

for (const [id, data, message] of [
  ['getKey', undefined, /getKey .* needs keyId \(in its path\)/],
  ['getKey', {}, /needs keyId/],
  ['getKey', { keyId: 5 }, /keyId is not right: must be string/],
  ['getKey', { keyId: 'k' }, /keyId is not right: must NOT have fewer than 2 characters/],
  ['getKey', { keyId: '..' }, /keyId cannot be sent in the path/],
  ['getKey', { keyId: 'a\nb' }, /keyId cannot be sent in the path/],
  ['getKey', { keyId: 'ab', 'X-Reason': 'a\r\nb: c' }, /X-Reason cannot be sent in the header/],
  ['getKey', { keyId: 'ab', fields: [{}] }, /fields is not right: 0 must be string/],
  ['getKey', { keyId: 'ab', compact: ['\ud800'] }, /compact is not right/],
  ['getKey', { keyId: 'ab', field: ['x'] }, /no parameter "field"; did you mean fields/],
  ['getKey', { keyId: 'ab', Authorization: 'Bearer x' }, /no parameter "Authorization"/],
  ['getKey', 'text', /needs keyId/],
  ['putKey', { keyId: 'k1' }, /the body of putKey is not right: must have required property 'until'/],
  ['putKey', { keyId: 'k1', until: 'soon' }, /until must match format "date-time"/],
  [
    'putKey',
    { keyId: 'k1', until: '2024-03-01T00:00:00Z', owner: { age: 'x' } },
    /owner\.age must be integer/,
  ],
  ['putKey', { keyId: 'k1', until: '2024-03-01T00:00:00Z', more: 1 }, /must NOT have additional properties/],
  ['postList', [1, 2, 3], /must NOT have more than 2 items/],
] as const) {
  test(`${id} of ${JSON.stringify(data)} is a usage error: ${message.source}`, () => {
    assert.throws(() => requestOf(id, data), { code: 'usage', message });
  });
}

for (const [url, path] of [
  ['https://elsewhere.example.com/v1/', '/v1/keys'],
  ['https://elsewhere.example.com', '/keys'],
  ['/v1', '/v1/keys'],
  ['/', '/keys'],
  ['https://{region}.example.com/v1', '/keys'],
  ['https://', '/keys'],
  [7, '/keys'],
] as const) {
  test(`below the server ${url}, /keys is asked for as ${path}`, () => {
    const document = { servers: [{ url }], paths: { '/keys': { get: { operationId: 'keys' } } } };
    assert.equal(requestOf('keys', undefined, document).path, path);
  });
}

function bodyOf(schema: object, value: unknown, document: object): string | undefined {
  const content = { 'application/json': { schema } };
  const paths = { '/x': { post: { operationId: 'x', requestBody: { required: true, content } } } };
  return requestOf('x', value, { ...document, paths }).body;
}

test('an exclusive bound of OpenAPI 3.0 is a boolean', () => {
  const exclusive = { minimum: 0, exclusiveMinimum: true, maximum: 5, exclusiveMaximum: false };
  for (const right of [1, 5]) assert.equal(bodyOf(exclusive, right, { openapi: '3.0.3' }), `${right}`);
  for (const [wrong, why] of [
    [0, /must be > 0/],
    [6, /must be <= 5/],
  ] as const) {
    assert.throws(() => bodyOf(exclusive, wrong, { openapi: '3.0.3' }), { code: 'usage', message: why });
  }
});

test('a pattern that the flag u would forbid is heeded', () => {
  const schema = { type: 'string', pattern: '^[\\w-.]+$' };
  assert.equal(bodyOf(schema, 'a-b.c', DOCUMENT), '"a-b.c"');
  assert.throws(() => bodyOf(schema, 'a b', DOCUMENT), { code: 'usage', message: /must match pattern/ });
});

test('what a schema says is quoted in one line, without what a terminal would obey', () => {
  const schema = { type: 'object', required: ['\u001b[2J\nname'] };
  assert.throws(() => bodyOf(schema, {}, DOCUMENT), {
    code: 'usage',
    message: /must have required property ' \[2J name'$/,
  });
});

for (const [title, schema] of [
  ['that leads to another host', { $ref: 'https://elsewhere.example.com/schema' }],
  ['that leads nowhere', { $ref: '#/components/schemas/Nobody' }],
  ['that no schema can be', { type: 'nothing' }],
] as const) {
  test(`a schema ${title} is a bad answer`, () => {
    const document = {
      paths: { '/x': { get: { operationId: 'x', parameters: [parameter('a', 'query', schema)] } } },
    };
    assert.throws(() => requestOf('x', { a: 1 }, document), { code: 'bad_answer' });
  });
}

test('references in a circle end', () => {
  const document = {
    paths: { '/x': { $ref: '#/paths/~1x' }, '/y': { get: { parameters: [{ $ref: '#/a' }] } } },
    a: { $ref: '#/b' },
    b: { $ref: '#/a' },
  };
  assert.deepEqual(
    listOperations(document).map(({ id, parameters }) => [id, parameters]),
    [['GET /y', []]],
  );
});

test('whatever a description holds, it is listed or passed over, and its requests stay below its host', () => {
  const anyJson = fc.jsonValue({ maxDepth: 4 });
  const odd = fc.record({
    servers: fc.oneof(anyJson, fc.array(fc.record({ url: fc.oneof(fc.string(), fc.webUrl()) }))),
    paths: fc.dictionary(
      fc.oneof(fc.string(), fc.constantFrom('/a/{b}', '/{__proto__}', '//evil.example.com', '/..')),
      fc.oneof(
        anyJson,
        fc.record({
          get: fc.record({
            operationId: fc.oneof(anyJson, fc.string()),
            parameters: fc.oneof(
              anyJson,
              fc.array(
                fc.record({
                  name: fc.constantFrom('b', '__proto__', 'constructor'),
                  in: fc.constantFrom('path', 'query', 'header'),
                }),
              ),
            ),
            requestBody: anyJson,
          }),
        }),
      ),
    ),
  });
  fc.assert(
    fc.property(odd, anyJson, (document, data) => {
      for (const operation of listOperations(document)) {
        try {
          const { path } = operationRequest(document, operation, data);
          assert.equal(new URL(`https://api.example.com${path}`).host, 'api.example.com');
        } catch (error) {
          assert.ok(error instanceof TickhaulError, String(error));
        }
      }
    }),
    { numRuns: 40 },
  );
});
