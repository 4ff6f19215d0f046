import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import ajvFormats from 'ajv-formats';
import { type Dispatcher, request } from 'undici';
import { sandbox } from '../../helpers/sandbox.js';
import { fileUrl, get, getJson, KEY } from '../helpers.js';
import { assertRefused, bearer, EMAIL, post, verifiedIdentity } from '../issuer/helpers.js';

interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<
    Record<string, { readonly content?: { readonly 'application/json': { readonly schema: object } } }>
  >;
}

interface Document {
  readonly openapi: string;
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: object;
}

test('the resource metadata names resource and issuer', async (t) => {
  const { apiUrl, issuerUrl } = await sandbox(t);
  assert.deepEqual(await getJson(`${apiUrl}/.well-known/oauth-protected-resource`), {
    resource: apiUrl,
    authorization_servers: [issuerUrl],
    bearer_methods_supported: ['header'],
  });
});

test('without a valid access token, every operation is 401 with a challenge', async (t) => {
  const { apiUrl } = await sandbox(t);
  for (const headers of [{}, { authorization: 'Bearer at_unknown' }, { authorization: 'Basic eDp5' }, KEY]) {
    const answer = await post(`${apiUrl}/v1/account`, {}, headers);
    assertRefused(answer, 'invalid_token');
    assert.equal(answer.status, 401);
    const challenge = `Bearer error="invalid_token", resource_metadata="${apiUrl}/.well-known/oauth-protected-resource"`;
    assert.equal(answer.headers['www-authenticate'], challenge);
  }
});

test('the account is created once, and returned afterwards', async (t) => {
  const service = await sandbox(t);
  const headers = await bearer(service, await verifiedIdentity(service));
  const url = `${service.apiUrl}/v1/account`;
  assert.equal((await get(url, headers)).status, 404);
  const created = await post(url, {}, headers);
  const again = await post(url, {}, await bearer(service, await verifiedIdentity(service)));
  assert.deepEqual([created.status, again.status], [201, 200]);
  assert.deepEqual(again.body, created.body);
  assert.equal(created.body['email'], EMAIL);
  assert.deepEqual(await getJson(url, headers), created.body);
});

test('each operation responds as its description says', async (t) => {
  const service = await sandbox(t);
  const headers = await bearer(service, await verifiedIdentity(service));
  const document = await getJson<Document>(`${service.apiUrl}/v1/account/openapi.json`);
  assert.equal(document.openapi, '3.1.0');
  assert.deepEqual(document.servers, [{ url: service.apiUrl }]);
  const ajv = new Ajv2020({ strict: false });
  ajvFormats.default(ajv);
  const bodies: Readonly<Record<string, object>> = { updateAccount: { name: 'Jo' } };
  const paths: Readonly<Record<string, string>> = {
    '/v1/account/api-keys/{keyId}': '/v1/account/api-keys/key_2',
    '/v1/account/usage': '/v1/account/usage?from=2024-03-01&to=2024-03-04',
  };
  const met: string[] = [];
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(operations)) {
      if (method === 'parameters') continue;
      const body = bodies[operation.operationId];
      const answer = await request(service.apiUrl + (paths[path] ?? path), {
        method: method.toUpperCase() as Dispatcher.HttpMethod,
        headers: { ...headers, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
      const text = await answer.body.text();
      const response = operation.responses[answer.statusCode];
      assert.ok(
        response && answer.statusCode < 300,
        `${operation.operationId}: ${answer.statusCode} ${text}`,
      );
      const schema = response.content?.['application/json'].schema;
      assert.equal(text === '', schema === undefined);
      if (schema) {
        const isValid = ajv.compile({ ...schema, components: document.components });
        assert.ok(isValid(JSON.parse(text)), `${operation.operationId}: ${ajv.errorsText(isValid.errors)}`);
      }
      met.push(operation.operationId);
    }
  }
  assert.deepEqual(met, [
    'createAccount',
    'getAccount',
    'updateAccount',
    'listApiKeys',
    'deactivateApiKey',
    'getUsage',
  ]);
  const account = await getJson<{ name: string }>(`${service.apiUrl}/v1/account`, headers);
  assert.equal(account.name, 'Jo');
  const inactive = await getJson<{ id: string }[]>(
    `${service.apiUrl}/v1/account/api-keys?active=false`,
    headers,
  );
  assert.deepEqual(
    inactive.map(({ id }) => id),
    ['key_2'],
  );
});

test('operations reject wrong parameters and bodies', async (t) => {
  const service = await sandbox(t);
  const headers = await bearer(service, await verifiedIdentity(service));
  const url = `${service.apiUrl}/v1/account`;
  await post(url, {}, headers);
  const refusal = async (path: string, method: Dispatcher.HttpMethod, body?: object): Promise<unknown> => {
    const answer = await request(url + path, {
      method,
      headers: { ...headers, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    return ((await answer.body.json()) as { code: string }).code;
  };
  for (const body of [{}, { name: '' }, { name: 7 }, { name: 'x'.repeat(101) }, { name: 'x', more: 1 }]) {
    assert.equal(await refusal('', 'PATCH', body), 'invalid_request');
  }
  for (const query of ['', '?from=yesterday', '?from=2024-03-01&to=', '?from=2020-01-01&to=2024-01-01']) {
    assert.equal(await refusal(`/usage${query}`, 'GET'), 'invalid_request');
  }
  assert.equal(await refusal('/api-keys/key_9', 'DELETE'), 'not_found');
  assert.equal(await refusal('/nothing', 'GET'), 'not_found');
});

test('the key check returns the coverage of the key, and nothing for an expired key', async (t) => {
  const access = {
    exchange: 'kraken',
    accessType: 'api-key',
    from: '2024-02-01T00:00:00.000Z',
    to: '2024-03-05T00:00:00.000Z',
    symbols: ['XBT-USD'],
    dataPlan: 'pro',
  };
  const service = await sandbox(t, { keyAccess: [access] });
  const info = `${service.apiUrl}/v1/api-key-info`;
  assert.deepEqual(await getJson(info, KEY), [access]);
  const expired = { authorization: 'Bearer sandbox-expired-key' };
  assert.deepEqual(await getJson(info, expired), []);
  const statusOf = async (day: string, symbol: string, headers: typeof KEY): Promise<number> =>
    (await get(fileUrl(service, 'kraken', 'trades', day, symbol), headers)).status;
  assert.equal(await statusOf('2024/03/04', 'XBT-USD', KEY), 200);
  assert.equal(await statusOf('2024/03/04', 'XBT-USD', expired), 401);
  assert.equal(await statusOf('2024/03/05', 'XBT-USD', KEY), 403);
  assert.equal(await statusOf('2024/03/04', 'ETH-EUR', KEY), 403);
  assert.equal(await statusOf('2024/03/01', 'ETH-EUR', KEY), 200);

  const ended = await sandbox(t, { keyAccess: [] });
  assert.deepEqual(await getJson(`${ended.apiUrl}/v1/api-key-info`, KEY), []);
  assert.equal((await get(fileUrl(ended, 'kraken', 'trades', '2024/03/04', 'XBT-USD'), KEY)).status, 401);
  const without = await sandbox(t, { noKeyInfo: true });
  assert.equal((await get(`${without.apiUrl}/v1/api-key-info`, KEY)).status, 404);
});
