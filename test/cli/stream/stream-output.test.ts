import assert from 'node:assert/strict';
import { once } from 'node:events';
import { access, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { type Finished, start, tickhaul } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { sandbox } from '../../helpers/sandbox.js';
import { smallDisk } from '../../helpers/small-disk.js';
import { tempDir, workingDir } from '../../helpers/temp.js';
import { createMarketSender, endlessExchange, loopbackExchange } from '../../live/exchange.js';

const STREAM = ['stream', 'bitmex:XBTUSD', '-t', 'trade', '--json', '-o'];

/** What summary and error contain about stored messages. */
function keptOf({ exitCode, stderr }: Finished): { readonly messages: number; readonly path: string } {
  assert.equal(exitCode, 8, stderr);
  const [, count, path] =
    /; (\d+) messages received before are kept in (.*); move that file/.exec(stderr) ?? [];
  assert.equal(stderr.split('\n').filter((line) => line.startsWith('tickhaul:')).length, 1, stderr);
  const { messages, exitCode: reported } = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '');
  assert.deepEqual([reported, Number(count)], [8, messages], stderr);
  return { messages, path: path ?? '' };
}

for (const name of ['live.ndjson', 'live.ndjson.gz']) {
  test(`a full disk keeps complete lines that were received before: ${name}`, async (t) => {
    const disk = await smallDisk(t, '200k');
    if (!disk) return;
    const { url } = await endlessExchange(t);
    const out = join(disk.dir, name);
    const { messages, path } = keptOf(await tickhaul([...STREAM, out], { env: { WSS_URL_BITMEX: url } }));
    assert.equal(path, out);
    assert.deepEqual(await readdir(disk.dir), [name]);
    const bytes = await readFile(out);
    const lines = (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString().split('\n');
    assert.equal(lines.pop(), '');
    assert.equal(lines.length, messages);
    assert.ok(messages > 0);
    for (const line of lines) JSON.parse(line);
  });
}

test('the file size limit keeps them too', async (t) => {
  const { url } = await endlessExchange(t);
  const dir = await tempDir(t);
  const out = join(dir, 'live.ndjson');
  const command = ['bash', '-c', 'ulimit -f 300; exec "$0" "$@"', process.execPath];
  const { messages, path } = keptOf(
    await tickhaul([...STREAM, out], { env: { WSS_URL_BITMEX: url }, command }),
  );
  assert.equal(path, out);
  assert.equal((await readFile(out, 'utf8')).split('\n').length - 1, messages);
  assert.deepEqual(await readdir(dir), ['live.ndjson']);
});

test('a file that cannot be renamed keeps its part file, which the error names', async (t) => {
  const out = join(await tempDir(t), 'live.ndjson');
  const { url } = await loopbackExchange(t, {
    async play(peer) {
      await peer.nextMessage();
      const market = createMarketSender('bitmex', 'XBTUSD', peer);
      market.trade(1);
      market.trade(2);
      peer.socket.ping();
      await once(peer.socket, 'pong');
      // A folder with the same name is created while the stream runs.
      await mkdir(out);
      await writeFile(join(out, 'other'), '');
      child.kill('SIGINT');
    },
  });
  const { child, finished } = start([...STREAM, out], { env: { WSS_URL_BITMEX: url } });
  const { messages, path } = keptOf(await finished);
  assert.deepEqual([messages, path], [2, `${out}.part`]);
  assert.equal((await readFile(path, 'utf8')).split('\n').length, 3);
});

test('refuses an unwritable output before any connection or request', async (t) => {
  const service = await sandbox(t);
  const { url, statuses } = await endlessExchange(t);
  const dir = await workingDir(t);
  await writeFile(join(dir, 'file'), '');
  const env = {
    TICKHAUL_API_URL: service.apiUrl,
    TICKHAUL_DATASETS_URL: service.datasetsUrl,
    TICKHAUL_DIR: join(dir, 'data'),
    XDG_CACHE_HOME: join(dir, 'cache'),
    WSS_URL_BITMEX: url,
  };
  const date = ['--date', '2024-03-01'];
  const commands = [
    ['stream', 'bitmex:XBTUSD', '-t', 'trade'],
    ['replay', 'deribit:BTC-PERPETUAL', '-t', 'trade', ...date],
    ['replay', 'bitmex:XBTUSD', '--channel', 'trade', ...date],
    ['replay', 'bitmex:XBTUSD', '-t', 'trade', '--source', 'feeds', ...date],
  ];
  for (const words of commands) {
    const inFile = await runHere([...words, '-o', join(dir, 'file', 'out')], { env });
    assert.equal(inFile.exitCode, 8, inFile.stderr);
    const absent = await runHere([...words, '-o', '/proc/absent/out'], { env });
    assert.equal(absent.exitCode, 8, absent.stderr);
    for (const folder of ['.', '..', dir]) {
      const { exitCode, stderr } = await runHere([...words, '-o', folder], { env });
      assert.equal(exitCode, 2, stderr);
      assert.match(stderr, /^tickhaul: --out: ".*" is a folder; specify a file\n$/);
    }
  }
  assert.deepEqual([statuses, service.requests.length], [[], 0]);
  await assert.rejects(access(join(dir, 'data')));
});
