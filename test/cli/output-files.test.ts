import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  createReadStream,
  createWriteStream,
  lstatSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { envOf, type Finished, start, tickhaul } from '../helpers/cli.js';
import { busySandbox } from '../helpers/sandbox.js';
import { smallDisk } from '../helpers/small-disk.js';
import { tempDir } from '../helpers/temp.js';
import { loopbackExchange, type Peer, teller } from '../live/exchange.js';

/** An option that names an output file. */
interface OutputOption {
  /** The command, up to the name. */
  readonly words: readonly string[];
  readonly content: RegExp;
  readonly exitCode?: number;
  /** Whether lines of messages are compressed by the end of the name. */
  readonly isMessages?: boolean;
}

const DAY = ['--date', '2024-03-01'];
const MINUTES = ['--from', '2024-03-01T00:00', '--to', '2024-03-01T00:10'];
const OPTIONS: readonly OutputOption[] = [
  {
    words: ['replay', 'deribit:BTC-PERPETUAL', '-t', 'trade_bar_1m', ...DAY, '-o'],
    content: /^\{"type":"trade_bar".*\}\n$/s,
    isMessages: true,
  },
  {
    words: ['replay', 'bitmex:XBTUSD', '--channel', 'trade', ...MINUTES, '-o'],
    content: /^\{"localTimestamp":.*\}\n$/s,
    isMessages: true,
  },
  {
    words: ['replay', 'bitmex:XBTUSD', '-t', 'trade', '--source', 'feeds', ...MINUTES, '-o'],
    content: /^\{"type":"trade".*\}\n$/s,
    isMessages: true,
  },
  {
    words: ['stream', 'bitmex:XBTUSD', '-t', 'trade', '-o'],
    content: /^(?:\{"type":"trade".*\}\n){2}$/,
    isMessages: true,
  },
  { words: ['coverage', '--html'], content: /^<!doctype html>.*<\/html>\n$/is },
  { words: ['lock', '-o'], content: /BTC-PERPETUAL\.csv\.gz/ },
  { words: ['lock', '--format', 'sha256sum', '-o'], content: /^[0-9a-f]{64} .*BTC-PERPETUAL\.csv\.gz\n$/ },
  {
    words: ['plan', 'deribit', '-t', 'trades', '-s', 'BTC-PERPETUAL', ...DAY, '--pin'],
    content: /^\{.*"sha256".*\}\n$/s,
  },
  {
    words: [
      ...['download', 'deribit', '-t', 'quotes', '-s', 'BTC-PERPETUAL', ...DAY, '--retries', '0'],
      ...['--datasets-url', 'http://127.0.0.1:1', '--failed-to'],
    ],
    content: /^\{"event":"file","status":"failed".*\}\n$/,
    exitCode: 5,
  },
];

interface Place {
  /** An empty folder. */
  readonly dir: string;
  /** Runs the command with an output of this name. @param shell what runs it, as `"$0" "$@" | cat`. */
  run(option: OutputOption, name: string, shell?: string): Promise<Finished>;
}

/** A service and an exchange, a download folder with one day file, and an empty folder for outputs. */
async function place(t: TestContext): Promise<Place> {
  const service = await busySandbox(t);
  const data = join(await tempDir(t), 'data');
  const dir = await tempDir(t);
  let end = (): void => {};
  const { url } = await loopbackExchange(t, {
    play: async (peer: Peer) => {
      await peer.asked();
      const market = teller('bitmex', 'XBTUSD', peer);
      market.trade(1);
      market.trade(2);
      peer.socket.ping();
      await once(peer.socket, 'pong');
      end();
    },
  });
  const env = { ...envOf(service, data), WSS_URL_BITMEX: url };
  const download = ['download', 'deribit', '-t', 'trades', '-s', 'BTC-PERPETUAL', ...DAY];
  assert.equal((await tickhaul(download, { env })).exitCode, 0);
  return {
    dir,
    run({ words }, name, shell) {
      // A shell that is replaced by the command passes signals on.
      const command = shell === undefined ? [process.execPath] : ['bash', '-c', shell, process.execPath];
      const { child, finished } = start([...words, name], { env, cwd: dir, command });
      end = () => void child.kill('SIGINT');
      return finished;
    },
  };
}

/** Makes a node of a folder; false where that is not permitted. */
function makeNode(t: TestContext, path: string, ...kind: readonly string[]): boolean {
  try {
    execFileSync('mknod', [path, ...kind], { stdio: 'ignore' });
    return true;
  } catch {
    t.diagnostic('no right to make a device here');
    return false;
  }
}

for (const option of OPTIONS) {
  const { content, exitCode = 0, words } = option;
  const name = words.join(' ');

  test(`a device and a named pipe are written to and stay what they are: ${name}`, async (t) => {
    const { dir, run } = await place(t);
    if (makeNode(t, join(dir, 'null'), 'c', '1', '3')) {
      const written = await run(option, 'null');
      assert.equal(written.exitCode, exitCode, written.stderr);
      assert.ok(lstatSync(join(dir, 'null')).isCharacterDevice());
    }
    execFileSync('mkfifo', [join(dir, 'pipe')]);
    const [piped, read] = await Promise.all([
      run(option, join(dir, 'pipe')),
      text(createReadStream(join(dir, 'pipe'))),
    ]);
    assert.equal(piped.exitCode, exitCode, piped.stderr);
    assert.match(read, content);
    assert.ok(lstatSync(join(dir, 'pipe')).isFIFO());
    assert.deepEqual(
      readdirSync(dir).filter((entry) => entry !== 'null'),
      ['pipe'],
    );
  });

  test(`descriptors are written to as they are: ${name}`, async (t) => {
    const { dir, run } = await place(t);
    const file = join(dir, 'appended');
    writeFileSync(file, 'before\n');
    const appended = await run(option, '/dev/fd/3', 'exec "$0" "$@" 3>>appended');
    assert.equal(appended.exitCode, exitCode, appended.stderr);
    const [before, ...rest] = readFileSync(file, 'utf8').split('\n');
    assert.equal(before, 'before');
    assert.match(rest.join('\n'), content);
    const piped = await run(option, '/dev/stdout');
    assert.equal(piped.exitCode, exitCode, piped.stderr);
    assert.match(beginningOf(piped.stdout, content), content);
    symlinkSync('/dev/stdout', join(dir, 'link'));
    writeFileSync(file, 'before\n');
    const linked = await run(option, 'link', 'exec "$0" "$@" >>appended');
    assert.equal(linked.exitCode, exitCode, linked.stderr);
    assert.match(readFileSync(file, 'utf8'), /^before\n./);
    assert.deepEqual(readdirSync(dir).sort(), ['appended', 'link']);
    assert.ok(lstatSync(join(dir, 'link')).isSymbolicLink());
  });

  test(`symbolic links are followed and stay: ${name}`, async (t) => {
    const { dir, run } = await place(t);
    await mkdir(join(dir, 'real'));
    await mkdir(join(dir, 'links'));
    symlinkSync('../real/new', join(dir, 'links/dangling'));
    symlinkSync('dangling', join(dir, 'links/again'));
    for (const _ of ['a target that is missing', 'one that is there']) {
      const linked = await run(option, 'links/again');
      assert.equal(linked.exitCode, exitCode, linked.stderr);
      assert.match(readFileSync(join(dir, 'real/new'), 'utf8'), content);
      assert.deepEqual(readdirSync(join(dir, 'real')), ['new']);
      assert.deepEqual(readdirSync(join(dir, 'links')), ['again', 'dangling']);
      assert.ok(lstatSync(join(dir, 'links/dangling')).isSymbolicLink());
    }
    if (!option.isMessages) return;
    symlinkSync('../real/packed', join(dir, 'links/packed.gz'));
    assert.equal((await run(option, 'links/packed.gz')).exitCode, 0);
    assert.match(gunzipSync(readFileSync(join(dir, 'real/packed'))).toString(), content);
  });

  test(`folders, sockets and block devices are code 2: ${name}`, async (t) => {
    const { dir, run } = await place(t);
    await mkdir(join(dir, 'folder'));
    symlinkSync('folder', join(dir, 'link'));
    const refused = ['.', '..', 'link', 'absent/'];
    const server = createServer().listen(join(dir, 'socket'));
    t.after(() => server.close());
    await once(server, 'listening');
    refused.push('socket');
    if (makeNode(t, join(dir, 'block'), 'b', '1', '250')) refused.push('block');
    const before = readdirSync(dir).sort();
    for (const path of refused) {
      const { exitCode, stderr } = await run(option, path);
      assert.equal(exitCode, 2, `${path}: ${stderr}`);
      assert.match(stderr, /^tickhaul: --[a-z-]+: ".*" is a (?:folder|socket|block device); name a file$/m);
    }
    assert.deepEqual(readdirSync(dir).sort(), before);
    assert.deepEqual(readdirSync(join(dir, 'folder')), []);
  });
}

/** The output's own part of a stdout that has other text behind it. */
function beginningOf(stdout: string, content: RegExp): string {
  if (content.test(stdout)) return stdout;
  const lines = stdout.split('\n');
  for (let count = 1; count < lines.length; count++) {
    const part = `${lines.slice(0, count).join('\n')}\n`;
    if (content.test(part)) return part;
  }
  return stdout;
}

test('a named pipe that nobody reads can be ended', async (t) => {
  const dir = await tempDir(t);
  for (const pipe of ['config', 'out']) execFileSync('mkfifo', [join(dir, pipe)]);
  const words = ['replay', 'bitmex:XBTUSD', '--channel', 'trade', ...MINUTES, '--config', 'config'];
  const { child, finished } = start([...words, '-o', 'out'], { cwd: dir });
  const config = createWriteStream(join(dir, 'config'));
  // The open of its other end is the command's.
  await once(config, 'open');
  config.end(
    'dir: data\njobs: [{ name: trades, exchange: deribit, types: trades, symbols: all, last: 1d }]\n',
  );
  await once(config, 'close');
  child.kill('SIGTERM');
  assert.equal((await finished).exitCode, 143);
  assert.ok(lstatSync(join(dir, 'out')).isFIFO());
});

test('a reader of a named pipe that leaves is a normal end', async (t) => {
  const { dir, run } = await place(t);
  const pipe = join(dir, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const [{ words }] = OPTIONS as [OutputOption];
  const option = { words: [...words.slice(0, -1), '--json', '-o'], content: /./ };
  const ended = run({ ...option, words: option.words.map((word) => word.replace('_1m', '_1ticks')) }, 'pipe');
  const reader = createReadStream(pipe);
  await once(reader, 'data');
  reader.destroy();
  const { exitCode, stderr } = await ended;
  assert.equal(exitCode, 0, stderr);
  assert.ok(JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '').messages > 0);
});

test('stdout in a file that a full disk takes only in part is code 8', async (t) => {
  const disk = await smallDisk(t, '64k');
  if (!disk) return;
  const { run } = await place(t);
  const [{ words, content }] = OPTIONS as [OutputOption];
  const full = await run({ words, content }, '-', `exec "$0" "$@" > ${join(disk.dir, 'out')}`);
  assert.equal(full.exitCode, 8, full.stderr);
  assert.match(full.stderr, /^tickhaul: stdout: the disk is full/m);
});
