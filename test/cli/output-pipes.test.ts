import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  constants,
  createReadStream,
  createWriteStream,
  existsSync,
  lstatSync,
  openSync,
  readFileSync,
  readSync,
} from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { formatSize } from '../../src/base/units.js';
import { BIN, envOf, failedWith, start, succeeded } from '../helpers/cli.js';
import { runHere } from '../helpers/in-process.js';
import { sandbox, sandboxAndFolder } from '../helpers/sandbox.js';
import { smallDisk } from '../helpers/small-disk.js';
import { tempDir } from '../helpers/temp.js';
import { until } from '../helpers/until.js';
import { endlessExchange } from '../live/exchange.js';
import { MINUTES, OPTIONS, type OutputOption, place } from './output-options.js';

test('a named pipe without a reader can be interrupted', async (t) => {
  const dir = await tempDir(t);
  for (const pipe of ['config', 'out']) execFileSync('mkfifo', [join(dir, pipe)]);
  const words = ['replay', 'bitmex:XBTUSD', '--channel', 'trade', ...MINUTES, '--config', 'config'];
  const { child, finished } = start([...words, '-o', 'out'], { cwd: dir });
  const config = createWriteStream(join(dir, 'config'));
  // Opening the read end waits for the command.
  await once(config, 'open');
  config.end(
    'dir: data\njobs: [{ name: trades, exchange: deribit, types: trades, symbols: all, last: 1d }]\n',
  );
  await once(config, 'close');
  child.kill('SIGTERM');
  assert.equal((await finished).exitCode, 143);
  assert.ok(lstatSync(join(dir, 'out')).isFIFO());
});

test('a named pipe whose reader leaves is a normal end', async (t) => {
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

test('stdout to a file on a full disk is code 8', async (t) => {
  const disk = await smallDisk(t, '64k');
  if (!disk) return;
  const { runBuilt } = await place(t);
  const [{ words, content }] = OPTIONS as [OutputOption];
  await failedWith(
    runBuilt({ words, content }, '-', `exec "$0" "$@" > ${join(disk.dir, 'out')}`),
    8,
    /^tickhaul: stdout: the disk is full/m,
  );
});

/** Bytes that a reader reads before it stops: more than a pipe holds, and not a whole number of lines. */
const READ = 150_001;

interface Left {
  /** All bytes written to the pipe. */
  readonly taken: Buffer;
  readonly exitCode: number;
  readonly stderr: string;
}

/** Runs a command whose reader leaves while the command is stopped, so that all bytes in the pipe are counted. */
async function leave(t: TestContext, words: readonly string[], env: Record<string, string>): Promise<Left> {
  const pipe = join(await tempDir(t), 'pipe');
  execFileSync('mkfifo', [pipe]);
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  const writer = openSync(pipe, constants.O_WRONLY);
  const child = spawn(process.execPath, [BIN, ...words], {
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', ...env },
    stdio: ['ignore', writer, 'pipe'],
  });
  closeSync(writer);
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = once(child, 'close');
  const chunks: Buffer[] = [];
  let length = 0;
  const read = (): number => {
    const chunk = readAvailable(reader);
    chunks.push(chunk);
    length += chunk.length;
    return length;
  };
  await until('the text', () => read() >= READ, ended);
  child.kill('SIGSTOP');
  await until('the stop', () => isStopped(child), ended);
  read();
  closeSync(reader);
  child.kill('SIGCONT');
  const [exitCode] = await ended;
  return { taken: Buffer.concat(chunks), exitCode, stderr };
}

/** The bytes in a pipe. */
function readAvailable(fd: number): Buffer {
  const chunks: Buffer[] = [];
  for (;;) {
    const chunk = Buffer.alloc(64 * 1024);
    try {
      const length = readSync(fd, chunk);
      if (length === 0) return Buffer.concat(chunks);
      chunks.push(chunk.subarray(0, length));
    } catch (error) {
      assert.equal((error as NodeJS.ErrnoException).code, 'EAGAIN');
      return Buffer.concat(chunks);
    }
  }
}

/** Whether all threads of a process are stopped. */
function isStopped({ pid }: ChildProcess): boolean {
  return /^State:\tT/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
}

/** Complete lines of a text. */
function wholeLines(taken: Buffer): { readonly messages: number; readonly bytes: number } {
  const bytes = taken.lastIndexOf('\n') + 1;
  return { messages: taken.toString('utf8', 0, bytes).split('\n').length - 1, bytes };
}

const REPLAYS = [
  ['replay', 'deribit:BTC-PERPETUAL', '-t', 'trade,book_change', '--date', '2024-03-01', '--json'],
  ['replay', 'deribit:BTC-PERPETUAL', '-t', 'trade', '--source', 'feeds', '--date', '2024-03-01', '--json'],
  ['replay', 'deribit:BTC-PERPETUAL', '--channel', 'trades', '--date', '2024-03-01', '--json'],
];

for (const words of REPLAYS) {
  test(`the summary counts what was written to the pipe of a reader that left: ${words.join(' ')}`, async (t) => {
    if (!existsSync('/proc/self/status')) return t.skip('no way to look at a process here');
    const service = await sandbox(t, { rows: 20_000 });
    const { taken, stderr } = await succeeded(leave(t, words, envOf(service, await tempDir(t))));
    const { messages, bytes } = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '');
    assert.deepEqual({ messages, bytes }, wholeLines(taken));
  });
}

test('the summary of a stream counts what was written to the pipe', async (t) => {
  if (!existsSync('/proc/self/status')) return t.skip('no way to look at a process here');
  const { url } = await endlessExchange(t);
  const words = ['stream', 'bitmex:XBTUSD', '-t', 'trade', '--json'];
  const { taken, stderr } = await succeeded(leave(t, words, { WSS_URL_BITMEX: url }));
  const { messages, bytes } = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '');
  assert.deepEqual({ messages, bytes }, wholeLines(taken));
});

test('a dry run ends as usual when its reader has left', async (t) => {
  if (!existsSync('/proc/self/status')) return t.skip('no way to look at a process here');
  const { env } = await sandboxAndFolder(t);
  const series = ['deribit', '-t', 'trades,quotes,incremental_book_L2', '-s', 'BTC-PERPETUAL'];
  const days = ['--from', '2020-01-01', '--to', '2024-03-01', '--dry-run', '--json'];
  const { stderr } = await succeeded(leave(t, ['download', ...series, ...days], env));
  assert.equal(stderr, '');
});

test('convert reports how much was written to the pipe', async (t) => {
  if (!existsSync('/proc/self/status')) return t.skip('no way to look at a process here');
  const { dir, env } = await sandboxAndFolder(t, { rows: 60_000 });
  const download = ['download', 'deribit', '-t', 'trades', '-s', 'BTC-PERPETUAL', '--date', '2024-03-01'];
  await succeeded(runHere(download, { env }));
  for (const jobs of ['1', '2']) {
    const { taken, stderr } = await succeeded(leave(t, ['convert', dir, '-o', '-', '-j', jobs], env));
    assert.match(stderr, new RegExp(`^stdout: the reader closed it after ${formatSize(taken.length)}$`, 'm'));
  }
});
