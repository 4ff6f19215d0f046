import assert from 'node:assert/strict';
import { once } from 'node:events';
import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { yieldToEventLoop } from '../../../src/base/wait.js';
import { start, succeeded, tickhaul } from '../../helpers/cli.js';
import { connectProxy } from '../../helpers/connect-proxy.js';
import { tempDir } from '../../helpers/temp.js';
import { createMarketSender, loopbackExchange, type Peer } from '../../live/exchange.js';

const BITMEX = ['stream', 'bitmex:XBTUSD', '-t', 'trade', '--with-disconnects'];

/** Sends trades at these prices; resolves when the client has read them all. */
async function trades(peer: Peer, ...prices: readonly number[]): Promise<void> {
  await peer.nextMessage();
  const market = createMarketSender('bitmex', 'XBTUSD', peer);
  for (const price of prices) market.trade(price);
  peer.socket.ping();
  await once(peer.socket, 'pong');
}

const summaryOf = (stderr: string): Record<string, unknown> =>
  JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '') as Record<string, unknown>;

test('Ctrl-C is a normal end, after disconnects too, and through a proxy', async (t) => {
  const { url } = await loopbackExchange(t, {
    async play(peer) {
      await trades(peer, peer.number);
      if (peer.number === 1) peer.socket.close(1012);
    },
  });
  const proxy = await connectProxy(t);
  const run = start([...BITMEX, '--json'], { env: { WSS_URL_BITMEX: url, HTTP_PROXY: proxy.url } });
  await run.printed('"price":2,');
  run.child.kill('SIGINT');
  const { exitCode, stdout, stderr } = await run.finished;
  assert.equal(exitCode, 0, stderr);
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string });
  assert.deepEqual(
    lines.map(({ type }) => type),
    ['trade', 'disconnect', 'trade'],
  );
  assert.match(
    stderr,
    /^warning 127\.0\.0\.1:\d+ closed the connection \(1012\); reconnecting to bitmex in 0\.\ds$/m,
  );
  assert.deepEqual(
    { ...summaryOf(stderr), seconds: 0 },
    {
      event: 'summary',
      exitCode: 0,
      messages: 3,
      bytes: stdout.length,
      seconds: 0,
    },
  );
  assert.equal(proxy.asked.length, 2);
});

test('after SIGTERM the file is complete, and the exit code is that of the signal', async (t) => {
  const out = join(await tempDir(t), 'live.ndjson.gz');
  let read = (): void => {};
  const hasRead = new Promise<void>((resolve) => {
    read = resolve;
  });
  const { url } = await loopbackExchange(t, {
    play: (peer) => trades(peer, 1, 2).then(read),
  });
  const run = start([...BITMEX, '-o', out], { env: { WSS_URL_BITMEX: url } });
  await hasRead;
  await assert.rejects(access(out));
  run.child.kill('SIGTERM');
  const { exitCode, stdout } = await run.finished;
  assert.deepEqual([exitCode, stdout], [143, '']);
  const lines = gunzipSync(await readFile(out))
    .toString()
    .trimEnd()
    .split('\n');
  assert.equal(lines.length, 2);
});

test('--for ends the stream with code 0, and so does a reader that leaves', async (t) => {
  const { url } = await loopbackExchange(t, {
    async play(peer) {
      const market = createMarketSender('bitmex', 'XBTUSD', peer);
      // Until the client leaves.
      for (let price = 1; peer.socket.readyState === peer.socket.OPEN; price++) {
        market.trade(price);
        await yieldToEventLoop();
      }
    },
  });
  const env = { WSS_URL_BITMEX: url };
  const short = await succeeded(tickhaul([...BITMEX, '--for', '50ms', '--json'], { env }));
  assert.equal(summaryOf(short.stderr)['messages'], short.stdout.split('\n').length - 1);

  const run = start([...BITMEX, '--quiet'], { env });
  await run.printed('"price":3,');
  run.child.stdout?.destroy();
  const left = await run.finished;
  assert.deepEqual([left.exitCode, left.stderr], [0, '']);
});

/** More trades than pipes and sockets hold. */
const COUNT = 20_000;

test('Ctrl-C with a reader that reads nothing ends with 130, and reports the lost messages', async (t) => {
  const { url } = await loopbackExchange(t, {
    async play(peer) {
      const market = createMarketSender('bitmex', 'XBTUSD', peer);
      await peer.nextMessage();
      for (let price = 1; price <= COUNT; price++) market.trade(price);
      peer.socket.ping();
      await once(peer.socket, 'pong');
      run.child.kill('SIGINT');
    },
  });
  const run = start([...BITMEX, '--json'], { env: { WSS_URL_BITMEX: url } });
  run.child.stdout?.pause();
  const [exitCode] = await once(run.child, 'exit');
  assert.equal(exitCode, 130);
  run.child.stdout?.resume();
  const { stdout, stderr } = await run.finished;
  const [, lost] = /stdout: its reader read nothing for 1s; (\d+) messages lost/.exec(stderr) ?? [];
  assert.ok(Number(lost) > 0, stderr);
  const { exitCode: reported, messages } = summaryOf(stderr);
  assert.deepEqual([reported, Number(messages) + Number(lost)], [130, COUNT]);
  assert.ok(stdout.split('\n').length - 1 < COUNT);
});
