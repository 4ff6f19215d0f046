import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRequest } from './described.js';

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
  [
    'putKey',
    { keyId: 5, more: 'x' },
    { method: 'PUT', path: '/v1/keys/5', headers: {}, body: '{"more":"x"}' },
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
  ['getKey', { keyId: '..' }, /keyId cannot be sent in the path/],
  ['getKey', { keyId: 'a\nb' }, /keyId cannot be sent in the path/],
  ['getKey', { keyId: 'ab', 'X-Reason': 'a\r\nb: c' }, /X-Reason cannot be sent in the header/],
  ['getKey', { keyId: 'ab', fields: [{}] }, /fields cannot be sent in the query/],
  ['getKey', { keyId: 'ab', compact: ['\ud800'] }, /compact cannot be sent in the query/],
  ['getKey', { keyId: 'ab', field: ['x'] }, /no parameter "field"; did you mean fields/],
  ['getKey', { keyId: 'ab', Authorization: 'Bearer x' }, /no parameter "Authorization"/],
  ['getKey', 'text', /requires keyId/],
] as const) {
  test(`${id} with ${JSON.stringify(data)} is a usage error: ${message.source}`, () => {
    assert.throws(() => createRequest(id, data), { code: 'usage', message });
  });
}
