import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { parse } from 'yaml';
import { portsOf } from './cli/serve/ports.js';
import { cleanUp, killAndWait } from './helpers/clean-up.js';
import { envOf, type Started, start, tickhaul } from './helpers/cli.js';
import { machine, projectText, recipe } from './helpers/machine.js';
import { noPython } from './helpers/python.js';
import { BUSY, sandboxAndFolder } from './helpers/sandbox.js';
import { nightlyTest } from './helpers/services.js';
import { analyzed, readUnit } from './helpers/systemd.js';
import { ask, withOptions } from './server/serving.js';

/** Starts a server as its recipe does. */
function serving(t: TestContext, line: string, env: Readonly<Record<string, string>>): Started {
  const server = start([], { command: ['/bin/sh', '-ec', `exec ${line}`], env: { ...env, TM_PORT: '0' } });
  cleanUp(t, () => killAndWait(server.child));
  return server;
}

/** Asks a server for what needs its key, and ends it as systemd and Docker do. */
async function usedAndStopped(server: Started, http: number): Promise<void> {
  const options = { exchange: 'bitmex', from: '2024-03-05', to: '2024-03-05T00:05' };
  const { status, text } = await ask(http, withOptions('/replay', options));
  assert.equal(status, 200, text);
  server.child.kill('SIGTERM');
  const { exitCode, stderr } = await server.finished;
  assert.equal(exitCode, 0, stderr);
}

nightlyTest('the server as a service of systemd', async (t) => {
  const { dir, here, service } = await machine(t);
  const unit = here(await recipe('tickhaul-serve.service'));
  await writeFile(join(dir, 'tickhaul-serve.service'), unit);
  const said = analyzed(join(dir, 'tickhaul-serve.service'));
  if (said !== undefined) assert.equal(said, '');
  const { user, command, env } = readUnit(unit, dir);
  assert.equal(user, 'tickhaul');
  const addresses = { TICKHAUL_API_URL: service.apiUrl, TICKHAUL_DATASETS_URL: service.datasetsUrl };
  const server = serving(t, command, { ...addresses, ...env });
  await usedAndStopped(server, (await portsOf(server)).http);
});

interface Compose {
  readonly services: {
    readonly tickhaul: {
      readonly command: string;
      readonly ports: readonly string[];
      readonly environment: Readonly<Record<string, string>>;
      readonly secrets: readonly string[];
      readonly volumes: readonly string[];
      readonly healthcheck: { readonly test: readonly string[] };
    };
  };
  readonly secrets: Readonly<Record<string, object>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

nightlyTest(
  'the server in a container: its command, its key as a file, its check, and ports for this machine only',
  async (t) => {
    const { dir, bin, service } = await machine(t);
    const { services, secrets, volumes } = parse(await recipe('compose.yaml')) as Compose;
    const { command, ports, environment, healthcheck, ...container } = services.tickhaul;
    assert.deepEqual(Object.keys(secrets), container.secrets);
    assert.deepEqual(
      Object.keys(volumes).map((name) => `${name}:/data`),
      container.volumes,
    );
    for (const port of ports) assert.match(port, /^127\.0\.0\.1:8000-8001:8000-8001$/);
    assert.equal(environment['TICKHAUL_API_KEY_FILE'], `/run/secrets/${container.secrets[0]}`);
    const server = serving(t, `${bin}/tickhaul ${command}`, {
      TICKHAUL_API_URL: service.apiUrl,
      TICKHAUL_DATASETS_URL: service.datasetsUrl,
      ...environment,
      TICKHAUL_API_KEY_FILE: join(dir, 'key'),
      TM_CACHE_DIR: join(dir, 'cache'),
    });
    const { http } = await portsOf(server);
    const [how, program, ...args] = healthcheck.test;
    assert.deepEqual([how, program], ['CMD', 'node']);
    const check = (port: number): Promise<number | null> =>
      tickhaul([], {
        command: [process.execPath, ...args.map((text) => text.replace('8000', String(port)))],
      }).then(({ exitCode }) => exitCode);
    assert.equal(await check(http), 0);
    await usedAndStopped(server, http);
    assert.notEqual(await check(http), 0, 'nobody listens');
  },
);

nightlyTest(
  'the Python clients read a period to its end, and raise what the server says',
  {
    skip: noPython('aiohttp', 'websockets'),
  },
  async (t) => {
    const { service, dir } = await sandboxAndFolder(t, BUSY);
    const server = start(['serve', '--port', '0'], { env: envOf(service, dir) });
    cleanUp(t, () => killAndWait(server.child));
    const { http, ws } = await portsOf(server);
    const run = async (name: string, from: string, to: string) => {
      const code = (await recipe(name)).replace(':8000', `:${http}`).replace(':8001', `:${ws}`);
      const env = { PYTHONPATH: process.env['PYTHONPATH'] ?? '' };
      return tickhaul([], { command: ['python3', '-c', code.replace(from, to)], env });
    };
    const [bars, quotes, noExchange, noSymbol] = await Promise.all([
      run('http_client.py', '', ''),
      run('websocket_client.py', '', ''),
      run('http_client.py', '"bitmex"', '"bitmx"'),
      run('websocket_client.py', '"XBTUSD"', '"XBTUSDD"'),
    ]);
    assert.equal(bars.exitCode, 0, bars.stderr);
    assert.match(bars.stdout, /^(?:2024-03-01T00:\d\d:00\.000Z [\d.]+ [\d.]+\n){30,}/);
    assert.equal(quotes.exitCode, 0, quotes.stderr);
    for (const exchange of ['bitmex', 'deribit']) {
      assert.match(quotes.stdout, new RegExp(`^2024-03-01T00:30:00.000Z ${exchange} [\\d.]+ [\\d.]+$`, 'm'));
    }
    assert.equal(noExchange.exitCode, 1);
    assert.match(noExchange.stderr, /400: .*unknown exchange \\?"bitmx\\?"/);
    assert.equal(noSymbol.exitCode, 1);
    assert.match(noSymbol.stderr, /1011.*unknown symbol "XBTUSDD"/);
  },
);

test('docs/how-to/clients.md shows the recipes as they stand in their files', async () => {
  const page = await projectText('docs/how-to/clients.md');
  for (const name of ['http_client.py', 'websocket_client.py']) {
    assert.ok(page.includes(`\`\`\`python\n${await recipe(name)}\`\`\``), name);
  }
});
