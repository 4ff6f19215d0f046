import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createOperationRequest, listOperations } from '../../src/account/call-account.js';
import { TickhaulError } from '../../src/base/errors.js';
import { createRequest, DOCUMENT } from './described.js';

test('lists operations with the parameters of their path and skips invalid entries', () => {
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

for (const [url, path] of [
  ['https://elsewhere.example.com/v1/', '/v1/keys'],
  ['https://elsewhere.example.com', '/keys'],
  ['/v1', '/v1/keys'],
  ['/', '/keys'],
  ['https://{region}.example.com/v1', '/keys'],
  ['https://', '/keys'],
  ['x:.elsewhere.example.com', '/keys'],
  [7, '/keys'],
] as const) {
  test(`with the server ${url}, the path of /keys is ${path}`, () => {
    const document = { servers: [{ url }], paths: { '/keys': { get: { operationId: 'keys' } } } };
    assert.equal(createRequest('keys', undefined, document).path, path);
  });
}

test('ignores circular references', () => {
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

test('requests from any description are sent to the API host only', () => {
  const anyJson = fc.jsonValue({ maxDepth: 4 });
  const url = fc.oneof(
    fc.string(),
    fc.webUrl(),
    fc.string().map((path) => `x:${path}`),
  );
  const odd = fc.record({
    servers: fc.oneof(anyJson, fc.array(fc.record({ url }))),
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
          const { path } = createOperationRequest(operation, data);
          assert.equal(new URL(`https://api.example.com${path}`).host, 'api.example.com');
        } catch (error) {
          assert.ok(error instanceof TickhaulError, String(error));
        }
      }
    }),
    { numRuns: 40 },
  );
});
