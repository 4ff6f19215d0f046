import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Sandbox } from '../../../src/sandbox/sandbox-options.js';
import { openStore } from '../../account/helpers.js';
import { approveClaim } from '../../helpers/claim-page.js';
import { cleanUp, killAndWait } from '../../helpers/clean-up.js';
import { type Finished, failedWith, jsonLines, start, succeeded, tickhaul } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { sandbox, sandboxAndFolder } from '../../helpers/sandbox.js';
import { tempDir } from '../../helpers/temp.js';
import {
  accountEnv,
  EMAIL,
  identitiesOf,
  LOGIN,
  linkOf,
  loginWithCode,
  storedIn,
} from './account-helpers.js';

const COMPLETE = '/agent/identity/claim/complete';
const OTHER = 'ann@example.com';

/** A folder with stored identities. */
async function storedDir(
  t: TestContext,
  { apiUrl }: Sandbox,
  ...identities: (readonly [issuer: string, email: string])[]
) {
  const dir = await tempDir(t);
  const store = openStore(dirname(identitiesOf(dir)), apiUrl);
  for (const [issuer, email] of identities) {
    await store.update(issuer, email, async () => ({ assertion: 'an-assertion', refreshToken: 'a-token' }));
  }
  return dir;
}

const countPosts = ({ requests }: Sandbox, path: string): number =>
  requests.filter(({ url }) => url === path).length;

const summaryOf = (done: Finished) => jsonLines(done).at(-1) ?? assert.fail('no summary');

test('honours a wait that is requested in the text of a response', async (t) => {
  const service = await sandbox(t);
  const env = accountEnv(service, await tempDir(t));
  const body = JSON.stringify({ code: 'rate_limit_exceeded', message: 'slow', retry_after: '100' });
  service.issuer.answerNext('register', { status: 429, body });
  const { exitCode, stderr } = await runHere([...LOGIN, '--max-wait', '10s'], { env });
  assert.equal(exitCode, 5, stderr);
  assert.match(stderr, /too many requests: "slow"; retry after 1m40s\n$/);
  assert.equal(countPosts(service, '/agent/identity'), 1);
});

test('refuses an API host without https before the first request', async (t) => {
  const service = await sandbox(t);
  const dir = await storedDir(t, service, [new URL(service.issuerUrl).host, EMAIL]);
  const env = {
    ...accountEnv(service, dir),
    TICKHAUL_API_URL: 'http://api.example.com',
    TICKHAUL_AUTH_URL: service.issuerUrl,
  };
  for (const args of [['login', '--email', OTHER], ['account'], ['account', 'call', 'x']]) {
    const { exitCode, stderr } = await runHere([...args, '--allow-http'], { env });
    assert.equal(exitCode, 2, stderr);
    assert.match(stderr, /^tickhaul: api\.example\.com\S*: secrets are sent over https only/);
  }
  assert.deepEqual(service.requests, []);
});

test('prints a summary with e-mail, issuer and duration after an error too', async (t) => {
  const service = await sandbox(t);
  const env = accountEnv(service, await tempDir(t));
  service.issuer.failNext('claim', 'auth_method_disabled');
  const refused = await tickhaul([...LOGIN, '--json'], { env });
  assert.equal(refused.exitCode, 4);
  const { seconds, error, ...rest } = summaryOf(refused);
  const issuer = new URL(service.issuerUrl).host;
  assert.deepEqual(rest, { event: 'summary', exitCode: 4, email: EMAIL, issuer });
  assert.ok(Number(seconds) > 0);
  assert.equal((error as { code: string }).code, 'no_access');
  assert.equal(refused.stderr, `tickhaul: ${(error as { message: string }).message}\n`);

  // A command's start time must not be taken from before the process started.
  const unknown = await tickhaul(['plan', 'nowhere', '-t', 'trades', '-s', 'X', '--json'], { env });
  assert.ok(Number(summaryOf(unknown)['seconds']) > 0);
});

test('failures at the last step keep what the user has confirmed', async (t) => {
  const { service, dir } = await sandboxAndFolder(t);
  const page = { status: 503, headers: { 'Content-Type': 'text/html' }, body: '<p>'.repeat(500_000) };
  service.issuer.answerNext('complete', page, page, page, page, page);
  const done = await succeeded(loginWithCode(accountEnv(service, dir)));
  assert.equal(countPosts(service, COMPLETE), 6);
  assert.equal(countPosts(service, '/agent/identity'), 1);
  const waits = jsonLines(done).filter(({ event }) => event === 'waiting');
  assert.deepEqual(
    waits.map(({ reason }) => reason),
    new Array(5).fill('server_error'),
  );
});

test('a sign-in that waits for a response does not block a sign-in with another e-mail', async (t) => {
  let isAsked = (): void => {};
  const asked = new Promise<void>((resolve) => {
    isAsked = resolve;
  });
  const service = await sandbox(t, {
    onRequest: ({ url }) => {
      if (url === COMPLETE) isAsked();
    },
  });
  const dir = await tempDir(t);
  const env = accountEnv(service, dir);
  service.issuer.failNext('complete', 'stall');
  const slow = start([...LOGIN, '--json'], { env, keepStdin: true });
  cleanUp(t, () => killAndWait(slow.child));
  slow.child.stdin?.write(`${await approveClaim(await linkOf(slow), EMAIL)}\n`);
  await asked;
  const other = start(['login', '--email', OTHER, '--json'], { env, keepStdin: true });
  other.child.stdin?.end(`${await approveClaim(await linkOf(other), OTHER)}\n`);
  assert.equal((await other.finished).exitCode, 0);
  assert.equal(slow.child.exitCode, null);
  assert.equal(storedIn(dir).length, 1);

  // It does not block removing another identity either.
  const forgotten = await runHere(['logout', '--email', OTHER, '--json'], { env });
  assert.equal(forgotten.stdout, '{"forgotten":1}\n');
  assert.equal(slow.child.exitCode, null);
});

test('a damaged identity is reported and does not block removing another one', async (t) => {
  const service = await sandbox(t);
  const dir = await storedDir(t, service, ['auth.example.com', EMAIL], ['auth.example.com', OTHER]);
  const env = accountEnv(service, dir);
  const name = readdirSync(identitiesOf(dir)).find((one) => one.endsWith('.json')) ?? '';
  const path = join(identitiesOf(dir), name);
  const isDamaged = (storedIn(dir)[0] ?? '').includes(EMAIL) ? EMAIL : OTHER;
  const whole = isDamaged === EMAIL ? OTHER : EMAIL;
  await writeFile(path, '{"issuer":"auth');

  const done = await runHere(['logout', '--email', whole], { env });
  assert.deepEqual([done.exitCode, done.stdout], [0, '1 stored identity forgotten\n'], done.stderr);
  assert.match(done.stderr, /^warning \S+\.json: the identity is damaged; remove it \(rm \S+\)/);
  // Here the damaged file may be the selected identity.
  const { exitCode, stderr } = await runHere(['logout', '--email', isDamaged], { env });
  assert.equal(exitCode, 2, stderr);
  assert.match(stderr, /^tickhaul: \S+\.json: the identity is damaged; remove it/);
  assert.equal((await runHere(['logout', '--all', '--json'], { env })).stdout, '{"forgotten":1}\n');
});

test('logout --all removes the identities of every issuer, whatever the environment names', async (t) => {
  const service = await sandbox(t);
  const dir = await storedDir(t, service, ['auth.example.com', EMAIL], ['other.example.com', EMAIL]);
  const env = { ...accountEnv(service, dir), TICKHAUL_AUTH_URL: 'https://auth.example.com' };
  const one = ['logout', '--all', '--auth-url', 'https://third.example.com', '--json'];
  assert.equal((await runHere(one, { env })).stdout, '{"forgotten":0}\n');
  assert.equal((await runHere(['logout', '--all', '--json'], { env })).stdout, '{"forgotten":2}\n');
});

for (const [name, step] of [
  ['account', 'token'],
  ['account', 'resource'],
  ['key', 'key'],
] as const) {
  test(`${name} ends at its time limit while ${step} gets no response`, async (t) => {
    const service = await sandbox(t);
    const dir = await storedDir(t, service, [new URL(service.issuerUrl).host, EMAIL]);
    service.issuer.failNext(step, 'stall');
    const { exitCode, stderr } = await runHere([name, '--timeout', '1s'], { env: accountEnv(service, dir) });
    assert.equal(exitCode, 5, stderr);
    assert.match(stderr, /was not finished within 1\.0s; raise --timeout\n$/);
  });
}

test('account does not start a wait that exceeds its time limit', async (t) => {
  const service = await sandbox(t, { retryAfterSeconds: 100 });
  const dir = await storedDir(t, service, [new URL(service.issuerUrl).host, EMAIL]);
  service.issuer.failNext('token', 'rate_limit_exceeded');
  await failedWith(runHere(['account'], { env: accountEnv(service, dir) }), 5, /; retry after 1m40s\n$/);
});
