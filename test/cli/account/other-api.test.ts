import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { openStore } from '../../account/helpers.js';
import { failedWith } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { sandboxAndFolder } from '../../helpers/sandbox.js';
import { serve } from '../../service/loopback.js';
import { accountEnv, EMAIL, identitiesOf, LOGIN, storedIn } from './account-helpers.js';

const IDENTITY = { assertion: 'an-assertion', refreshToken: 'a-refresh-token' };
/** Every use of a stored identity. */
const USES = [
  ['account'],
  ['account', '--email', EMAIL],
  ['account', '--operations'],
  ['account', 'call', 'getAccount'],
  LOGIN,
];

test('a stored identity is used with the API that it was made for, and with no other', async (t) => {
  const { service, dir } = await sandboxAndFolder(t);
  const { host } = new URL(service.issuerUrl);
  await openStore(dirname(identitiesOf(dir)), service.apiUrl).update(host, EMAIL, async () => IDENTITY);
  const before = storedIn(dir);
  const received: string[] = [];
  // It names the issuer of the user, and asks for tokens.
  const other = await serve(t, ({ url, headers }, response) => {
    received.push(`${url} ${headers.authorization}`);
    const resource = { resource: other, authorization_servers: [service.issuerUrl] };
    if (url === '/.well-known/oauth-protected-resource') response.end(JSON.stringify(resource));
    else response.writeHead(401).end('{}');
  });
  const config = join(dir, 'config.yaml');
  await writeFile(
    config,
    `apiUrl: ${other}\njobs: [{name: a, exchange: a, types: a, symbols: a, last: 1d}]\n`,
  );
  const {
    TICKHAUL_API_URL: _,
    TICKHAUL_AUTH_URL: __,
    TICKHAUL_API_KEY: ___,
    ...env
  } = accountEnv(service, dir);
  for (const [words, more] of [
    [['--api-url', other], {}],
    [['--config', config], {}],
    [[], { TICKHAUL_API_URL: other }],
    [['--api-url', other, '--auth-url', service.issuerUrl], {}],
  ] as const) {
    for (const use of USES) {
      const { exitCode, stderr, stdout } = await runHere([...use, ...words], { env: { ...env, ...more } });
      assert.equal(exitCode, 4, `${use.join(' ')}: ${stderr}`);
      assert.ok(
        stderr.includes(`${EMAIL}: the stored identity is for ${service.apiUrl}, not for ${other};`),
        stderr,
      );
      assert.ok(!`${stdout}${stderr}`.includes(IDENTITY.assertion));
    }
  }
  assert.deepEqual(service.requests, [], 'nothing is exchanged');
  assert.ok(
    received.every((request) => request.endsWith(' undefined')),
    received.join('\n'),
  );
  assert.deepEqual(storedIn(dir), before);
});

test('an identity whose file names no API is not used; it can be signed out', async (t) => {
  const { service, dir } = await sandboxAndFolder(t);
  const env = accountEnv(service, dir);
  const { host } = new URL(service.issuerUrl);
  await openStore(dirname(identitiesOf(dir)), service.apiUrl).update(host, EMAIL, async () => IDENTITY);
  const [name = ''] = readdirSync(identitiesOf(dir)).filter((file) => file.endsWith('.json'));
  const { api: _, ...rest } = JSON.parse(storedIn(dir)[0] ?? '');
  await writeFile(join(identitiesOf(dir), name), JSON.stringify(rest));
  for (const use of USES.filter((words) => !words.includes('--operations'))) {
    await failedWith(
      runHere(use, { env }),
      4,
      /is for an API that its file does not name, .*tickhaul logout --email jo@example\.com/,
    );
  }
  assert.ok(!service.requests.some(({ url }) => url.startsWith('/oauth2') || url.startsWith('/agent')));
  const out = await runHere(['logout', '--email', EMAIL], { env });
  assert.deepEqual([out.exitCode, out.stdout], [0, '1 stored identity forgotten\n']);
  assert.match((await runHere(['account'], { env })).stderr, /no identity is stored; sign in/);
});
