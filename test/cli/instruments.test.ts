import assert from 'node:assert/strict';
import { test } from 'node:test';
import { envOf } from '../helpers/cli.js';
import { runHere } from '../helpers/in-process.js';
import { sandboxAndFolder } from '../helpers/sandbox.js';

test('lists instruments by filters, as a table or one document, or one of them by its symbol', async (t) => {
  const { service, dir } = await sandboxAndFolder(t);
  const env = envOf(service, dir, '');
  const table = await runHere(['instruments', 'bitmex'], { env });
  assert.match(table.stdout, /^id +dataset id +type +contract +base +quote +active +since +until\n/);
  assert.match(table.stdout, /\nXBTUSD +XBTUSD +perpetual +inverse_perpetual +BTC +USD +yes +2019-03-30\n/);
  assert.doesNotMatch(table.stdout, /PERPETUALS/);
  const ids = async (...flags: readonly string[]): Promise<readonly string[]> => {
    const { stdout } = await runHere(['instruments', 'bitmex', '--json', ...flags], { env });
    return (JSON.parse(stdout) as { id: string }[]).map(({ id }) => id);
  };
  assert.deepEqual(await ids('--no-active'), ['XBTM20']);
  assert.deepEqual(await ids('--active', '--base', 'BTC'), ['XBTUSD']);
  assert.deepEqual(await ids('-t', 'future,perpetual', '--quote', 'USD', '--base', 'ETH'), ['ETHUSD']);
  assert.deepEqual(await ids('--contract-type', 'put_option'), []);
  assert.deepEqual(await ids('--filter', '{"availableSince":"2024-01-01"}', '-t', 'perpetual'), [
    'XBTUSD',
    'ETHUSD',
  ]);
  const one = await runHere(['instruments', 'bitmex', 'xbtusd', '--json'], { env });
  assert.equal(JSON.parse(one.stdout).datasetId, 'XBTUSD');
});

test('reports invalid requests for instruments', async (t) => {
  const { service, dir, env } = await sandboxAndFolder(t);
  const cases: readonly (readonly [RegExp, readonly string[]])[] = [
    [/unknown exchange "bitmx"; did you mean bitmex\?/, ['bitmx']],
    [/unknown symbol "XBTUSDT" on bitmex; did you mean XBTUSD\?/, ['bitmex', 'XBTUSDT']],
    [/--filter: expected a JSON object/, ['bitmex', '--filter', '[1]']],
    [/'filter' param is not valid/, ['bitmex', '--filter', '{"basse":"BTC"}']],
    [/unknown instrument type "perpetuals"; did you mean perpetual\?/, ['bitmex', '-t', 'perpetuals']],
    [/unknown instrument type "foo"; valid types: spot, perpetual/, ['bitmex', '-t', 'future,foo']],
    [/exclude all instruments/, ['bitmex', '--active', '--no-active']],
    [/names a single instrument/, ['bitmex', 'XBTUSD', '--active']],
  ];
  for (const [message, args] of cases) {
    const { exitCode, stderr } = await runHere(['instruments', ...args], { env });
    assert.match(stderr, message);
    assert.equal(exitCode, 2);
  }
  const keyless = await runHere(['instruments', 'deribit'], { env: envOf(service, dir, '') });
  assert.equal(keyless.exitCode, 4);
});
