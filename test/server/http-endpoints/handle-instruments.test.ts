import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { cleanUp } from '../../helpers/clean-up.js';
import { sandbox, sandboxAndFolder } from '../../helpers/sandbox.js';
import { tempDir } from '../../helpers/temp.js';
import { until } from '../../helpers/until.js';
import { serve } from '../../service/loopback.js';
import { ask, serveHere } from '../serving.js';

const PATH = '/v1/instruments';
const withFilter = (filter: unknown): string =>
  `${PATH}/bitmex?filter=${encodeURIComponent(typeof filter === 'string' ? filter : JSON.stringify(filter))}`;

test('answers instruments as the service does, with its own key, and keeps them for an hour', async (t) => {
  const service = await sandbox(t);
  const { httpPort } = await serveHere(t, service, await tempDir(t));
  const headers = { authorization: 'Bearer of-the-client' };
  for (const path of [
    `${PATH}/deribit`,
    `${PATH}/deribit/BTC-PERPETUAL`,
    withFilter({ baseCurrency: ['BTC', 'ETH'], active: true, type: 'perpetual' }),
  ]) {
    const direct = await fetch(`${service.apiUrl}${path}`, {
      headers: { authorization: `Bearer ${service.apiKey}` },
    });
    const expected = await direct.json();
    const before = service.requests.length;
    for (const asked of [path, path]) {
      const { status, text, headers: answered } = await ask(httpPort, asked, { headers });
      assert.deepEqual([status, answered['content-type']], [200, 'application/json; charset=utf-8']);
      assert.deepEqual(JSON.parse(text), expected);
    }
    assert.equal(service.requests.length - before, 1, path);
  }
  const inLowerCase = await ask(httpPort, `/V1/Instruments/Deribit/%42TC-perpetual/`);
  assert.equal(JSON.parse(inLowerCase.text).id, 'BTC-PERPETUAL');
});

test('answers from disk offline: what was asked, and what the list of all instruments holds', async (t) => {
  const { service, dir } = await sandboxAndFolder(t);
  const online = await serveHere(t, service, dir);
  const perpetuals = withFilter({ type: 'perpetual' });
  const expected = [(await ask(online.httpPort, perpetuals)).text];
  const { httpPort } = await serveHere(t, service, dir, { apiKey: undefined, feeds: { offline: true } });
  assert.deepEqual([(await ask(httpPort, perpetuals)).text], expected);
  const lacking = await ask(httpPort, `${PATH}/bitmex/XBTUSD`);
  assert.equal(lacking.status, 503);
  assert.match(JSON.parse(lacking.text).message, /no stored copy exists; run once without --offline/);

  await ask(online.httpPort, `${PATH}/bitmex`);
  const ids = async (filter: unknown): Promise<readonly string[]> =>
    JSON.parse((await ask(httpPort, withFilter(filter))).text).map(({ id }: { id: string }) => id);
  assert.deepEqual(await ids({ active: false }), ['XBTM20']);
  assert.deepEqual(await ids({ availableTo: '2020-06-26' }), ['XBTUSD', 'ETHUSD', 'XBTM20']);
  assert.deepEqual(await ids({ availableTo: '2020-06-27', quoteCurrency: ['USD'] }), ['XBTUSD', 'ETHUSD']);
  assert.deepEqual(await ids({ availableSince: '2020-06-27', availableTo: '2020-06-28' }), [
    'XBTUSD',
    'ETHUSD',
  ]);
  const one = await ask(httpPort, `${PATH}/bitmex/xbtusd`);
  assert.equal(JSON.parse(one.text).datasetId, 'XBTUSD');
  const unknown = await ask(httpPort, `${PATH}/bitmex/nothing`);
  assert.deepEqual(JSON.parse(unknown.text), { code: 404, message: 'bitmex has no instrument "nothing"' });
  assert.equal(unknown.status, 404);
});

test('keeps copies of the latest 64 filters and symbols, and of all lists', async (t) => {
  const { service, dir } = await sandboxAndFolder(t);
  const { httpPort } = await serveHere(t, service, dir);
  await ask(httpPort, `${PATH}/bitmex`);
  await ask(httpPort, `${PATH}/bitmex/XBTUSD`);
  const filter = (at: number): string => withFilter({ baseCurrency: ['XBT', `X${at}`] });
  const answers: string[] = [];
  for (let at = 0; at < 80; at++) answers.push((await ask(httpPort, filter(at))).text);
  const copies = readdirSync(join(dir, 'records')).filter((name) => name.endsWith('.cache'));
  assert.equal(copies.length, 65);
  const before = service.requests.length;
  assert.equal((await ask(httpPort, filter(79))).text, answers[79]);
  assert.equal((await ask(httpPort, `${PATH}/bitmex`)).status, 200);
  assert.equal(service.requests.length, before);
  assert.equal((await ask(httpPort, filter(0))).text, answers[0]);
  assert.equal(service.requests.length, before + 1);
});

test('answers failures with code and message', async (t) => {
  const { service, dir } = await sandboxAndFolder(t);
  const { httpPort } = await serveHere(t, service, dir);
  for (const [path, code, message] of [
    [`${PATH}/bitmx`, 400, /Exchange 'bitmx' is not supported/],
    [`${PATH}/bitmex/XBTUSDT`, 404, /There is no instrument/],
    [withFilter('['), 400, /^filter: expected a JSON object, as {"baseCurrency":"BTC"}, found "\["$/],
    [withFilter({ basse: 'BTC' }), 400, /'filter' param is not valid/],
    [`${PATH}/bitmex/%ff`, 400, /"%ff" is not URL-encoded/],
  ] as const) {
    const { status, text } = await ask(httpPort, path);
    const answer = JSON.parse(text);
    assert.deepEqual([status, answer.code, Object.keys(answer)], [code, code, ['code', 'message']]);
    assert.match(answer.message, message);
  }
  // A refusal by a server before the service says nothing about the client's request.
  const front = await serve(t, (_, response) =>
    response.writeHead(403, { 'content-type': 'text/html' }).end('<title>Blocked</title>'),
  );
  const behind = await serveHere(t, { ...service, apiUrl: front }, await tempDir(t));
  const blocked = await ask(behind.httpPort, `${PATH}/bitmex`);
  assert.equal(blocked.status, 503);
  assert.match(JSON.parse(blocked.text).message, /refused the request \(403\): "Blocked"/);
  const keyless = await serveHere(t, service, await tempDir(t), { apiKey: undefined });
  assert.equal(JSON.parse((await ask(keyless.httpPort, `${PATH}/deribit`)).text).code, 401);
  assert.equal((await ask(keyless.httpPort, `${PATH}/bitmex`)).status, 200);
  for (const path of [PATH, `${PATH}/`, `${PATH}/bitmex/XBTUSD/more`])
    assert.equal((await ask(httpPort, path)).status, 404);
  const foreign = await ask(httpPort, `${PATH}/bitmex`, { headers: { host: 'evil.example' } });
  assert.equal(foreign.status, 403);
});

test('few lists are held for clients that do not read, which are cut off', async (t) => {
  let asked = 0;
  const listed = (at: number) => ({
    id: `S${at}`,
    exchange: 'bitmex',
    baseCurrency: 'B'.repeat(2000),
    quoteCurrency: 'USD',
    type: 'spot',
    active: true,
    availableSince: '2024-01-01T00:00:00.000Z',
  });
  const list = JSON.stringify(Array.from({ length: 8000 }, (_, at) => listed(at)));
  const front = await serve(t, (_, response) => {
    asked++;
    response.end(list);
  });
  const server = await serveHere(t, { ...(await sandbox(t)), apiUrl: front }, await tempDir(t));
  for (let at = 0; at < 9; at++) {
    const socket = connect(server.httpPort, '127.0.0.1').on('error', () => {});
    cleanUp(t, () => socket.destroy());
    socket.write(`GET ${withFilter({ baseCurrency: String(at) })} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  }
  await until('the first lists', () => asked === 8);
  // The server has read the ninth request before this one.
  assert.equal((await ask(server.httpPort, '/health-check')).status, 200);
  assert.equal(asked, 8);
  const { status, text } = await ask(server.httpPort, withFilter({ active: true }));
  assert.deepEqual([status, text === list], [200, true]);
});
