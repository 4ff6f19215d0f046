import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { download } from '../../src/index.js';
import { envOf, failedWith } from '../helpers/cli.js';
import { forward } from '../helpers/forward.js';
import { runHere } from '../helpers/in-process.js';
import { sandboxAndFolder } from '../helpers/sandbox.js';
import { listen } from '../service/loopback.js';

interface Remote {
  readonly dir: string;
  readonly key: string;
  /** An environment in which both hosts of the service are another machine's, over plain http. */
  readonly env: Readonly<Record<string, string>>;
  /** Hosts of the requests that the proxy got. */
  readonly hosts: string[];
}

/** A service on a host that only a proxy can reach. */
async function remoteService(t: TestContext): Promise<Remote> {
  const { service, dir } = await sandboxAndFolder(t);
  const hosts: string[] = [];
  const toService = forward('');
  const proxy = createServer((request, response) => {
    const { host, pathname, search } = new URL(String(request.url));
    hosts.push(host);
    const origin = host === 'data.example' ? service.datasetsUrl : service.apiUrl;
    request.url = `${origin}${pathname}${search}`;
    toService(request, response);
  });
  const env = {
    ...envOf(service, join(dir, 'data')),
    TICKHAUL_API_URL: 'http://service.example',
    TICKHAUL_DATASETS_URL: 'http://data.example',
    HTTP_PROXY: await listen(t, proxy),
    XDG_CONFIG_HOME: dir,
  };
  return { dir, env, hosts, key: service.apiKey };
}

const DOWNLOAD = ['download', 'deribit', '-t', 'trades', '-s', 'BTC-PERPETUAL', '--date', '2024-03-01'];
const PERIOD = ['--from', '2024-03-02T00:00', '--to', '2024-03-02T00:01'];
/** Every command that sends the key. */
const SENDERS = [
  DOWNLOAD,
  ['plan', ...DOWNLOAD.slice(1)],
  ['key'],
  ['instruments', 'deribit'],
  ['replay', 'deribit:BTC-PERPETUAL', '-t', 'trade', '--date', '2024-03-01'],
  ['replay', 'deribit:BTC-PERPETUAL', '--channel', 'trades', ...PERIOD],
  ['serve', '--port', '0'],
  ['verify', '--repair'],
];

test('the key is not sent to another machine over plain http', async (t) => {
  const { env, hosts } = await remoteService(t);
  for (const words of SENDERS) {
    await failedWith(
      runHere(words, { env }),
      2,
      /http:\/\/service\.example: the API key would be sent over plain http.*--allow-http/,
    );
  }
  assert.deepEqual(hosts, []);
});

test('without a key, with --allow-http, and with allowHttp in a named file, plain http is used', async (t) => {
  const { dir, env, hosts, key } = await remoteService(t);
  const config = join(dir, 'config.yaml');
  await writeFile(
    config,
    'allowHttp: true\njobs: [{name: a, exchange: deribit, types: trades, symbols: BTC-PERPETUAL, date: 2024-03-02}]\n',
  );
  const { TICKHAUL_API_KEY: _, ...withoutKey } = env;
  for (const [words, used] of [
    [DOWNLOAD, withoutKey],
    [[...DOWNLOAD, '--allow-http', '--existing', 'overwrite'], env],
    [['key', '--config', config], env],
    [['sync', '--config', config], env],
  ] as const) {
    hosts.length = 0;
    const { exitCode, stderr } = await runHere(words, { env: used });
    assert.equal(exitCode, 0, `${words.join(' ')}: ${stderr}`);
    assert.equal(hosts[0], 'service.example');
  }
  const options = {
    exchange: 'deribit',
    types: ['trades' as const],
    symbols: ['BTC-PERPETUAL'],
    date: '2024-03-03',
    dir,
    apiUrl: 'http://192.0.2.1',
    datasetsUrl: 'http://192.0.2.1',
    apiKey: key,
  };
  await assert.rejects(async () => download(options), { code: 'usage', message: /plain http.*allowHttp/ });
});
