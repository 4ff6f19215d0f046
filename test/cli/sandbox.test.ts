import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanUp, killAndWait } from '../helpers/clean-up.js';
import { start, tickhaul } from '../helpers/cli.js';
import { post } from '../sandbox/issuer/helpers.js';

test('flags set lifetimes and faults of the account, and a line sets the issuer', async (t) => {
  const flags = ['--auth-fault', 'register:500=1', '--auth-fault-limit', '1', '--claim-lifetime', '0s'];
  const { child, printed, finished } = start(['sandbox', '--verbose', '--rows', '50', ...flags]);
  cleanUp(t, () => killAndWait(child));
  let text = '';
  child.stdout?.on('data', (chunk: string) => {
    text += chunk;
  });
  await printed('TICKHAUL_API_KEY=');
  const issuerUrl = /^export TICKHAUL_AUTH_URL=(.+)$/m.exec(text)?.[1] ?? '';
  const identity = { type: 'service_auth', login_hint: 'jo@example.com' };
  assert.equal((await post(`${issuerUrl}/agent/identity`, identity)).status, 500);
  const { body } = await post(`${issuerUrl}/agent/identity`, identity);
  const { token } = body['claim'] as { token: string };
  const claim = await post(`${issuerUrl}/agent/identity/claim`, { ...identity, claim_token: token });
  assert.equal(claim.body['code'], 'claim_expired');
  child.kill('SIGTERM');
  const { exitCode, stdout, stderr } = await finished;
  assert.equal(exitCode, 0);
  assert.match(stderr, /POST \/agent\/identity 500/);
  assert.ok(!(stdout + stderr).includes(token));
});

test('an unknown fault of the account is a usage error', async () => {
  const { exitCode, stderr } = await tickhaul(['sandbox', '--auth-fault', 'tokn:500=1']);
  assert.equal(exitCode, 2);
  assert.match(stderr, /unknown step "tokn"; did you mean token\?/);
});
