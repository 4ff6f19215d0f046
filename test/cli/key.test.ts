import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Sandbox } from '../../src/sandbox/sandbox-options.js';
import { envOf, failedWith, succeeded } from '../helpers/cli.js';
import { runHere } from '../helpers/in-process.js';
import { sandboxAndFolder } from '../helpers/sandbox.js';

const withKey = (service: Sandbox, dir: string, key: string) => ({
  env: envOf(service, dir, key),
});

test('key shows what the key may access, and never the key', async (t) => {
  const { service, dir } = await sandboxAndFolder(t);
  const full = await succeeded(runHere(['key'], withKey(service, dir, service.apiKey)));
  assert.match(full.stdout, /^API key …-key\nexchange +type +plan +from +to +symbols\nbitmex /);
  const json = await runHere(['key', '--json', '--verbose'], withKey(service, dir, service.apiKey));
  const document = JSON.parse(json.stdout) as {
    key: string;
    expired: boolean;
    access: { exchange: string }[];
  };
  assert.deepEqual([document.key, document.expired], ['…-key', false]);
  assert.ok(document.access.some(({ exchange }) => exchange === 'deribit'));
  assert.ok(!(full.stdout + json.stdout + json.stderr).includes(service.apiKey));

  await failedWith(runHere(['key'], withKey(service, dir, 'another-key')), 4, /does not accept the key/);
  const { exitCode, stderr } = await runHere(['key'], { env: envOf(service, dir, '') });
  assert.equal(exitCode, 4, stderr);
  assert.match(stderr, /no API key is set; set TICKHAUL_API_KEY/);
});

test('an expired key is code 4, with --json too', async (t) => {
  const { service, dir } = await sandboxAndFolder(t, { keyAccess: [] });
  const done = await runHere(['key', '--json'], withKey(service, dir, service.apiKey));
  assert.equal(done.exitCode, 4);
  assert.deepEqual(JSON.parse(done.stdout), { key: '…-key', expired: true, access: [] });
  assert.match(done.stderr, /the API key …-key has expired/);
});
