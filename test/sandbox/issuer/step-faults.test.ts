import assert from 'node:assert/strict';
import { test } from 'node:test';
import { request } from 'undici';
import {
  parseStepFaults,
  STATUS_BY_CODE,
  STEP_CODES,
  STEPS,
  type Step,
  StepFaults,
} from '../../../src/sandbox/issuer/issuer-steps.js';
import type { Sandbox } from '../../../src/sandbox/sandbox-options.js';
import { approveClaim } from '../../helpers/claim-page.js';
import { sandbox } from '../../helpers/sandbox.js';
import { KEY } from '../helpers.js';
import {
  assertRefused,
  bearer,
  claimToken,
  createSteps,
  EMAIL,
  type JsonAnswer,
  post,
  readIdentity,
  startAttempt,
  verifiedIdentity,
} from './helpers.js';

/** Prepares a service for each step, and returns a call that would succeed. */
const READY: Readonly<Record<Step, (service: Sandbox) => Promise<() => Promise<JsonAnswer>>>> = {
  register: async (service) => () => createSteps(service).register(),
  claim: async (service) => {
    const token = await claimToken(service);
    return () => createSteps(service).claim(token);
  },
  complete: async (service) => {
    const token = await claimToken(service);
    const code = await approveClaim(await startAttempt(service, token), EMAIL);
    return () => createSteps(service).complete(token, code.replace('-', ''));
  },
  token: async (service) => {
    const { assertion } = await verifiedIdentity(service);
    return () => createSteps(service).token(assertion);
  },
  refresh: async (service) => {
    const { refreshToken } = await verifiedIdentity(service);
    return () => createSteps(service).refresh(refreshToken);
  },
  account: async (service) => {
    const headers = await bearer(service, await verifiedIdentity(service));
    return () => post(`${service.apiUrl}/v1/account`, {}, headers);
  },
  openapi: async (service) => () => getJson(`${service.apiUrl}/v1/account/openapi.json`),
  resource: async (service) => () => getJson(`${service.apiUrl}/.well-known/oauth-protected-resource`),
  key: async (service) => () => getJson(`${service.apiUrl}/v1/api-key-info`, KEY),
};

async function getJson(url: string, sent: Readonly<Record<string, string>> = {}): Promise<JsonAnswer> {
  const { statusCode, headers, body } = await request(url, { headers: sent });
  return { status: statusCode, headers, body: (await body.json()) as Record<string, unknown> };
}

for (const step of STEPS) {
  test(`${step} fails with each of its codes, a rate limit, 5xx and broken responses on request, and changes nothing`, async (t) => {
    const service = await sandbox(t, { retryAfterSeconds: 7 });
    const call = await READY[step](service);
    service.issuer.failNext(
      step,
      ...STEP_CODES[step],
      'rate_limit_exceeded',
      '500',
      'missing-field',
      'reset',
    );
    for (const code of STEP_CODES[step]) {
      const refused = await call();
      assertRefused(refused, code);
      assert.equal(refused.status, STATUS_BY_CODE[code]);
      assert.equal(service.requests.at(-1)?.fault, code);
    }
    const limited = await call();
    assert.deepEqual(
      [limited.status, limited.body['code'], limited.body['retry_after']],
      [429, 'rate_limit_exceeded', 7],
    );
    assert.equal((await call()).status, 500);
    const empty = await call();
    assert.deepEqual([empty.status, empty.body], [200, {}]);
    await assert.rejects(call(), { code: 'ECONNRESET' });
    assert.deepEqual([service.requests.at(-1)?.fault, service.requests.at(-1)?.status], ['reset', 0]);
    assert.ok((await call()).status < 300);
    assert.equal(service.requests.at(-1)?.fault, undefined);
  });
}

test('responses that are not JSON, redirect elsewhere, or never end', async (t) => {
  const service = await sandbox(t);
  const metadata = `${service.apiUrl}/.well-known/oauth-protected-resource`;
  service.issuer.failNext('resource', 'not-json', '503', 'redirect', 'stall');
  const answers = [await request(metadata), await request(metadata), await request(metadata)];
  assert.deepEqual(
    answers.map(({ statusCode, headers }) => [statusCode, headers['content-type']]),
    [
      [200, 'text/html'],
      [503, 'text/html'],
      [307, 'text/plain'],
    ],
  );
  assert.equal(answers[2]?.headers['location'], 'https://elsewhere.invalid/');
  await Promise.all(answers.map(({ body }) => body.dump()));
  const stalled = await request(metadata, { bodyTimeout: 50 });
  await assert.rejects(stalled.body.text(), { code: 'UND_ERR_BODY_TIMEOUT' });
});

test('any response can be queued, in order with faults, even byte by byte', async (t) => {
  const service = await sandbox(t);
  service.issuer.answerNext('register', { status: 201, body: '{"claim":7}', dripMs: 1 });
  service.issuer.failNext('register', 'invalid_request');
  service.issuer.answerNext('register', { status: 302, headers: { location: '/x' }, body: '{}' });
  const { register } = createSteps(service);
  const dripped = await register();
  assert.deepEqual([dripped.status, dripped.body], [201, { claim: 7 }]);
  assert.equal(service.requests.at(-1)?.fault, 'made-up');
  assertRefused(await register(), 'invalid_request');
  const redirected = await register();
  assert.deepEqual([redirected.status, redirected.headers['location']], [302, '/x']);
  assert.equal((await register()).status, 200);
});

test('a lost response of a refresh still rotates the token', async (t) => {
  const service = await sandbox(t);
  const call = await READY.refresh(service);
  service.issuer.failNext('refresh', 'lost-answer');
  await assert.rejects(call(), { code: 'ECONNRESET' });
  const lost = service.issuer.secrets.filter(({ kind }) => kind === 'refresh_token').at(-1);
  const found = readIdentity(await createSteps(service).refresh(lost?.value));
  assertRefused(await call(), 'invalid_refresh_token');
  assertRefused(await createSteps(service).refresh(found.refreshToken), 'invalid_refresh_token');
});

test('faults are drawn by seed, separately per step, after queued ones', () => {
  const draw = (
    seed: number,
    shares = { token: { '500': 0.5 }, refresh: { '503': 1 } } as const,
  ): unknown[] => {
    const faults = new StepFaults(shares, seed, 4);
    faults.enqueue('token', ['invalid_grant', 'stall']);
    return Array.from({ length: 30 }, () => faults.next('token'));
  };
  assert.deepEqual(draw(1), draw(1));
  assert.notDeepEqual(draw(1), draw(2));
  const drawn = draw(1);
  assert.deepEqual(drawn.slice(0, 2), ['invalid_grant', 'stall']);
  assert.equal(drawn.filter((fault) => fault === '500').length, 4);
  assert.equal(drawn.filter((fault) => fault === undefined).length, 24);
});

test('faults are parsed, and errors name the invalid part', () => {
  assert.deepEqual(parseStepFaults(['complete:claim_denied=1, token:500=0.5', 'token:invalid_grant=.5']), {
    complete: { claim_denied: 1 },
    token: { '500': 0.5, invalid_grant: 0.5 },
  });
  const refused: readonly (readonly [string, RegExp])[] = [
    ['complte:500=1', /unknown step "complte"; did you mean complete\?.*register, claim, complete/],
    ['500=1', /unknown step "500=1"/],
    ['token', /"token": use.*token:503=0\.1/],
    ['token:claim_denied=1', /unknown fault "claim_denied".*invalid_grant/],
    ['token:500=2', /share from 0 to 1/],
    ['token:500=0.6,token:503=0.6', /at most 1/],
  ];
  for (const [text, message] of refused) {
    assert.throws(() => parseStepFaults([text]), { code: 'usage', message });
  }
});
