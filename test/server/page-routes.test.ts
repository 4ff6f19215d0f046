import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Script } from 'node:vm';
import { VERSION } from '../../src/base/packages.js';
import { readChartParts } from '../../src/base/page/base-style.js';
import { findSymbols, memoizeForTime } from '../../src/server/page-routes.js';
import { createContentSecurityPolicy, readServerPageScript } from '../../src/server/render-server-page.js';
import { BUSY, sandbox, sandboxAndFolder } from '../helpers/sandbox.js';
import { tempDir } from '../helpers/temp.js';
import { ask, serveHere, withOptions } from './serving.js';

test('the page loads nothing, and its policy allows the two ports of its server', async (t) => {
  const service = await sandbox(t);
  const { httpPort, wsPort } = await serveHere(t, service, await tempDir(t));
  const { status, headers, text } = await ask(httpPort, '/');
  assert.deepEqual([status, headers['content-type']], [200, 'text/html; charset=utf-8']);
  const policy = String(headers['content-security-policy']);
  assert.match(policy, new RegExp(`; connect-src 'self' ws://127\\.0\\.0\\.1:${wsPort};`));
  assert.match(policy, /^default-src 'none'; script-src 'sha256-\S+' 'sha256-\S+'; style-src 'sha256-\S+';/);
  assert.equal(/unsafe|\*/.test(policy), false);
  assert.equal(/(?:src|href)="(?!data:)/.test(text), false);
  assert.equal(/@import|url\((?!data:)/.test(text), false);
  assert.equal(/ style="| on\w+="/.test(text.slice(text.indexOf('<body>'), text.indexOf('<script>'))), false);
  assert.equal(text.includes(service.apiKey), false);
});

test('the scripts are valid and contain no text that ends their element', () => {
  for (const code of [readChartParts().script, readServerPageScript()]) {
    assert.equal(/<\/script|<!--/i.test(code), false);
    assert.ok(new Script(code));
  }
});

test('a policy contains no invalid host', () => {
  const page = { scripts: 's', styles: 't' };
  assert.match(
    createContentSecurityPolicy(page, 'desk.example'),
    /connect-src 'self' ws:\/\/desk\.example:81;/,
  );
  for (const host of ['[::1]:8000', 'a;script-src *', undefined]) {
    assert.match(createContentSecurityPolicy(page, host), /; connect-src 'self'; base-uri/);
  }
});

test('refuses the page and its endpoints to other hosts and origins, but accepts links to the page', async (t) => {
  const { httpPort } = await serveHere(t, await sandbox(t), await tempDir(t));
  const status = async (path: string, headers: Record<string, string>): Promise<number> =>
    (await ask(httpPort, path, { headers })).status;
  for (const path of [
    '/',
    '/page/server',
    '/page/cache',
    '/page/exchanges',
    '/page/symbols?exchange=bitmex',
  ]) {
    assert.equal(await status(path, {}), 200, path);
    assert.equal(await status(path, { host: 'evil.example' }), 403, path);
    assert.equal(await status(path, { origin: 'https://evil.example' }), 403, path);
  }
  const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-dest': 'document' };
  assert.equal(await status('/', link), 200);
  assert.equal(await status('/', { ...link, 'sec-fetch-dest': 'iframe' }), 403);
  assert.equal(await status('/page/exchanges', link), 403);
});

test('serves the facts of the server and its cache', async (t) => {
  const { service, dir } = await sandboxAndFolder(t, BUSY);
  const { httpPort } = await serveHere(t, service, dir, { feeds: { cacheLimit: 1e9 } });
  const options = { exchange: 'bitmex', from: '2024-03-01', to: '2024-03-01T00:10' };
  const lines = (await ask(httpPort, withOptions('/replay', options))).text.split('\n').length - 1;
  const { uptimeMs, ...server } = JSON.parse((await ask(httpPort, '/page/server')).text);
  assert.ok(uptimeMs >= 0);
  assert.deepEqual(server, { version: VERSION, source: 'feeds', offline: false, messages: lines });
  const { slices, bytes, limit } = JSON.parse((await ask(httpPort, '/page/cache')).text);
  assert.ok(slices > 0 && bytes > slices);
  assert.equal(limit, 1e9);
});

test('lists exchanges and symbols of feeds and of day files, also offline', async (t) => {
  const { service, dir } = await sandboxAndFolder(t);
  const feeds = await serveHere(t, service, dir);
  const listed = JSON.parse((await ask(feeds.httpPort, '/page/exchanges')).text);
  assert.deepEqual(listed.at(0), {
    id: 'bitmex',
    name: 'BitMEX',
    availableSince: '2019-03-30T00:00:00.000Z',
  });
  const found = JSON.parse((await ask(feeds.httpPort, '/page/symbols?exchange=bitmex&search=xbt')).text);
  assert.deepEqual(found, { symbols: ['XBTUSD', 'XBTM20'], found: 2 });
  const unknown = await ask(feeds.httpPort, '/page/symbols?exchange=bitmx');
  assert.deepEqual([unknown.status, /did you mean bitmex/.test(unknown.text)], [400, true]);
  assert.equal((await ask(feeds.httpPort, '/page/symbols')).status, 400);
  const files = await serveHere(t, service, dir, { source: 'datasets' });
  assert.deepEqual(
    JSON.parse((await ask(files.httpPort, '/page/symbols?exchange=bitmex&search=XBTU')).text),
    {
      symbols: ['XBTUSD'],
      found: 1,
      exportedUntil: '2024-03-10',
    },
  );
  await service.close();
  const offline = await serveHere(t, service, dir, { feeds: { offline: true } });
  assert.deepEqual(JSON.parse((await ask(offline.httpPort, '/page/exchanges')).text), listed);
});

test('without the service and the stored list, lists the exchanges with stored records', async (t) => {
  const { service, dir } = await sandboxAndFolder(t);
  const { httpPort } = await serveHere(t, service, dir);
  await ask(httpPort, '/page/symbols?exchange=deribit');
  const offline = await serveHere(t, service, dir, { feeds: { offline: true } });
  assert.deepEqual(JSON.parse((await ask(offline.httpPort, '/page/exchanges')).text), [{ id: 'deribit' }]);
  const empty = await serveHere(t, service, await tempDir(t), { feeds: { offline: true } });
  const { status, text } = await ask(empty.httpPort, '/page/exchanges');
  assert.deepEqual([status, /no stored copy/.test(text)], [503, true]);
});

test('lists names that start with the text first, at most fifty', () => {
  assert.deepEqual(findSymbols(['1BTC', 'ETH', 'btcusd', 'BTC-PERP'], ' btc'), {
    symbols: ['btcusd', 'BTC-PERP', '1BTC'],
    found: 3,
  });
  const many = Array.from({ length: 270 }, (_, at) => `COIN${at}`);
  const { symbols, found } = findSymbols(many, '');
  assert.deepEqual([symbols.length, symbols[49], found], [50, 'COIN49', 270]);
});

test('caches results for a limited time, but not failures', async () => {
  let clock = 0;
  const computed: string[] = [];
  const compute = async (key: string): Promise<number> => {
    computed.push(key);
    if (key === 'bad') throw new Error('no');
    return computed.length;
  };
  const get = memoizeForTime(compute, { forMs: 10, maxKeys: 2 }, () => clock);
  assert.deepEqual(await Promise.all([get('a'), get('a')]), [1, 1]);
  clock = 9;
  assert.equal(await get('a'), 1);
  clock = 10;
  assert.equal(await get('a'), 2);
  await assert.rejects(get('bad'), /no/);
  await assert.rejects(get('bad'), /no/);
  await get('b');
  await get('c');
  await get('a');
  assert.deepEqual(computed, ['a', 'a', 'bad', 'bad', 'b', 'c', 'a']);
});
