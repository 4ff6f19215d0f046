import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRequest, DOCUMENT, parameter } from './described.js';

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
  test(`${id} with ${JSON.stringify(data)} gives the expected request`, () => {
    const { path, ...rest } = createRequest(id, data);
    // The commas of a list in one value may be encoded or not.
    assert.deepEqual({ ...rest, path: path.replaceAll('1,2', '1%2C2') }, request);
  });
}

for (const [id, data, message] of [
  ['getKey', undefined, /getKey .* requires keyId \(in its path\)/],
  ['getKey', {}, /requires keyId/],
  ['getKey', { keyId: 5 }, /keyId is invalid: must be string/],
  ['getKey', { keyId: 'k' }, /keyId is invalid: must NOT have fewer than 2 characters/],
  ['getKey', { keyId: '..' }, /keyId cannot be sent in the path/],
  ['getKey', { keyId: 'a\nb' }, /keyId cannot be sent in the path/],
  ['getKey', { keyId: 'ab', 'X-Reason': 'a\r\nb: c' }, /X-Reason cannot be sent in the header/],
  ['getKey', { keyId: 'ab', fields: [{}] }, /fields is invalid: 0 must be string/],
  ['getKey', { keyId: 'ab', compact: ['\ud800'] }, /compact is invalid/],
  ['getKey', { keyId: 'ab', field: ['x'] }, /no parameter "field"; did you mean fields/],
  ['getKey', { keyId: 'ab', Authorization: 'Bearer x' }, /no parameter "Authorization"/],
  ['getKey', 'text', /requires keyId/],
  ['putKey', { keyId: 'k1' }, /the body of putKey is invalid: must have required property 'until'/],
  ['putKey', { keyId: 'k1', until: 'soon' }, /until must match format "date-time"/],
  [
    'putKey',
    { keyId: 'k1', until: '2024-03-01T00:00:00Z', owner: { age: 'x' } },
    /owner\.age must be integer/,
  ],
  ['putKey', { keyId: 'k1', until: '2024-03-01T00:00:00Z', more: 1 }, /must NOT have additional properties/],
  ['postList', [1, 2, 3], /must NOT have more than 2 items/],
] as const) {
  test(`${id} with ${JSON.stringify(data)} is a usage error: ${message.source}`, () => {
    assert.throws(() => createRequest(id, data), { code: 'usage', message });
  });
}

function createBody(schema: object, value: unknown, document: object): string | undefined {
  const content = { 'application/json': { schema } };
  const paths = { '/x': { post: { operationId: 'x', requestBody: { required: true, content } } } };
  return createRequest('x', value, { ...document, paths }).body;
}

test('supports the boolean exclusive bounds of OpenAPI 3.0', () => {
  const exclusive = { minimum: 0, exclusiveMinimum: true, maximum: 5, exclusiveMaximum: false };
  for (const right of [1, 5]) assert.equal(createBody(exclusive, right, { openapi: '3.0.3' }), `${right}`);
  for (const [wrong, why] of [
    [0, /must be > 0/],
    [6, /must be <= 5/],
  ] as const) {
    assert.throws(() => createBody(exclusive, wrong, { openapi: '3.0.3' }), { code: 'usage', message: why });
  }
});

test('supports a pattern that the flag u forbids', () => {
  const schema = { type: 'string', pattern: '^[\\w-.]+$' };
  assert.equal(createBody(schema, 'a-b.c', DOCUMENT), '"a-b.c"');
  assert.throws(() => createBody(schema, 'a b', DOCUMENT), { code: 'usage', message: /must match pattern/ });
});

test('quotes a schema in one line without control characters', () => {
  const schema = { type: 'object', required: ['\u001b[2J\nname'] };
  assert.throws(() => createBody(schema, {}, DOCUMENT), {
    code: 'usage',
    message: /must have required property ' \[2J name'$/,
  });
});

for (const [title, schema] of [
  ['on another host', { $ref: 'https://elsewhere.example.com/schema' }],
  ['that does not exist', { $ref: '#/components/schemas/Nobody' }],
  ['that is invalid', { type: 'nothing' }],
] as const) {
  test(`a schema ${title} is an invalid response`, () => {
    const document = {
      paths: { '/x': { get: { operationId: 'x', parameters: [parameter('a', 'query', schema)] } } },
    };
    assert.throws(() => createRequest('x', { a: 1 }, document), { code: 'bad_answer' });
  });
}
