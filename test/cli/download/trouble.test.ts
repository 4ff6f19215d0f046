import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Sandbox } from '../../../src/sandbox/sandbox-options.js';
import { cleanUp } from '../../helpers/clean-up.js';
import { envOf, type Finished, jsonLines, succeeded } from '../../helpers/cli.js';
import { forward } from '../../helpers/forward.js';
import { runHere } from '../../helpers/in-process.js';
import { sandbox } from '../../helpers/sandbox.js';
import { smallDisk } from '../../helpers/small-disk.js';
import { tempDir } from '../../helpers/temp.js';
import { serve } from '../../service/loopback.js';

const CONFIG = 'jobs: [{name: a, exchange: binance-futures, types: trades, symbols: BTCUSDT, last: 3d}]\n';

/** A nightly run in a separate folder. */
async function syncInto(
  t: TestContext,
  service: Sandbox,
  data?: string,
  env: Record<string, string> = {},
  flags: readonly string[] = ['--retries', '0'],
): Promise<Finished> {
  const dir = await tempDir(t);
  const config = join(dir, 'tickhaul.yaml');
  await writeFile(config, CONFIG);
  const base = envOf(service, data ?? join(dir, 'data'));
  return runHere(['sync', '--json', ...flags, '--config', config], {
    env: { ...base, XDG_CACHE_HOME: join(dir, 'cache'), ...env },
  });
}

/** Ends with the code, also in its summary, and with one line that describes the problem. */
function assertSays(finished: Finished, exitCode: number, line: RegExp): void {
  const { stderr } = finished;
  assert.equal(finished.exitCode, exitCode, stderr);
  assert.equal(jsonLines(finished).at(-1)?.['exitCode'], exitCode);
  const lines = stderr.split('\n').filter((text) => line.test(text));
  assert.equal(lines.length, 1, stderr);
}

test('a read-only folder', async (t) => {
  const [service, disk] = [await sandbox(t), await smallDisk(t, '1m')];
  if (!disk) return;
  disk.seal();
  const data = join(disk.dir, 'data');
  assertSays(await syncInto(t, service, data), 8, /\/data.*: the file system is read-only/);
  assert.equal(service.requests.length, 0, 'found before anything is asked for');
});

test('a proxy that refuses', async (t) => {
  const service = await sandbox(t);
  // No process listens at the port of a closed server.
  const { apiUrl: HTTP_PROXY } = await closedService(t);
  const { host } = new URL(HTTP_PROXY);
  assertSays(
    await syncInto(t, service, undefined, { HTTP_PROXY }),
    5,
    new RegExp(`${new URL(service.apiUrl).host} cannot be reached: ${host} refused .*proxy settings`),
  );
});

test('a kind of proxy that is not supported', async (t) => {
  const service = await sandbox(t);
  const finished = await syncInto(t, service, undefined, { ALL_PROXY: 'socks4://me:s3cret@127.0.0.1:1' });
  assertSays(finished, 2, /ALL_PROXY: socks4:\/\/ proxies are not supported; use http:/);
  assert.doesNotMatch(finished.stdout + finished.stderr, /s3cret/);
  assert.equal(service.requests.length, 0);
});

test('an entry of NO_PROXY without effect is a warning, and the others apply', async (t) => {
  const service = await sandbox(t);
  const { apiUrl: ALL_PROXY } = await closedService(t);
  const finished = await syncInto(t, service, undefined, { ALL_PROXY, NO_PROXY: '10.*,127.0.0.0/8' });
  assertSays(finished, 0, /warning NO_PROXY: ignoring "10\.\*": no name, address or network/);
});

test('an unknown host name', async (t) => {
  const service = await sandbox(t);
  // Too long for a host name, so no DNS server is requested.
  const name = `${'a'.repeat(64)}.invalid`;
  assertSays(
    await syncInto(t, service, undefined, { TICKHAUL_API_URL: `https://${name}` }),
    5,
    new RegExp(`the name ${name} cannot be resolved: .*DNS`),
  );
});

test('an untrusted certificate', async (t) => {
  const service = await sandbox(t);
  const url = await selfSigned(t);
  if (url === undefined) return;
  assertSays(
    await syncInto(t, service, undefined, { TICKHAUL_API_URL: url }),
    5,
    /certificate is not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\): .*NODE_EXTRA_CA_CERTS/,
  );
});

test('408, 425 and expired addresses of redirects fail no file', async (t) => {
  const service = await sandbox(t);
  const expired = await serve(t, (_, response) => response.writeHead(403).end('<Error>expired</Error>'));
  const failures = (response: ServerResponse): readonly (() => void)[] => [
    () => response.writeHead(408, { connection: 'close' }).end('<html>408</html>'),
    () => response.writeHead(425).end(),
    () => response.writeHead(302, { location: `${expired}/signed?s=1` }).end(),
  ];
  const front = (origin: string): Promise<string> => {
    const asked = new Map<string, number>();
    const pass = forward(origin);
    return serve(t, (request, response) => {
      const path = String(request.url).replace(/\?.*/, '');
      const count = asked.get(path) ?? 0;
      asked.set(path, count + 1);
      const fail = failures(response)[count];
      if (fail) fail();
      else pass(request, response);
    });
  };
  const [api, datasets] = [await front(service.apiUrl), await front(service.datasetsUrl)];
  const env = { TICKHAUL_API_URL: api, TICKHAUL_DATASETS_URL: datasets };
  const finished = await succeeded(syncInto(t, service, undefined, env, ['--retries', '3']));
  assert.equal(jsonLines(finished).at(-1)?.['downloaded'], 3);
});

async function closedService(t: TestContext): Promise<Sandbox> {
  const service = await sandbox(t);
  await service.close();
  return service;
}

/** The URL of an https server with a self-signed certificate. Without openssl, the test is skipped. */
async function selfSigned(t: TestContext): Promise<string | undefined> {
  const dir = await tempDir(t);
  const [key, cert] = [join(dir, 'key.pem'), join(dir, 'cert.pem')];
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  try {
    execFileSync('openssl', [...request, '-subj', '/CN=localhost', '-keyout', key, '-out', cert], {
      stdio: 'ignore',
    });
  } catch {
    t.skip('no openssl here');
    return undefined;
  }
  const server = createServer({ key: await readFile(key), cert: await readFile(cert) });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp(t, () => server.close());
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
