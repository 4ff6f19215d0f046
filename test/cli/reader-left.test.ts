import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, existsSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { formatSize } from '../../src/base/units.js';
import { BIN, envOf } from '../helpers/cli.js';
import { runHere } from '../helpers/in-process.js';
import { sandbox } from '../helpers/sandbox.js';
import { tempDir } from '../helpers/temp.js';
import { until } from '../helpers/until.js';
import { endlessExchange } from '../live/exchange.js';

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
    const { taken, exitCode, stderr } = await leave(t, words, envOf(service, await tempDir(t)));
    assert.equal(exitCode, 0, stderr);
    const { messages, bytes } = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '');
    assert.deepEqual({ messages, bytes }, wholeLines(taken));
  });
}

test('the summary of a stream counts what was written to the pipe', async (t) => {
  if (!existsSync('/proc/self/status')) return t.skip('no way to look at a process here');
  const { url } = await endlessExchange(t);
  const words = ['stream', 'bitmex:XBTUSD', '-t', 'trade', '--json'];
  const { taken, exitCode, stderr } = await leave(t, words, { WSS_URL_BITMEX: url });
  assert.equal(exitCode, 0, stderr);
  const { messages, bytes } = JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '');
  assert.deepEqual({ messages, bytes }, wholeLines(taken));
});

test('a dry run ends as usual when its reader has left', async (t) => {
  if (!existsSync('/proc/self/status')) return t.skip('no way to look at a process here');
  const env = envOf(await sandbox(t), await tempDir(t));
  const days = ['--from', '2020-01-01', '--to', '2024-03-01', '--dry-run', '--json'];
  const words = [
    'download',
    'deribit',
    '-t',
    'trades,quotes,incremental_book_L2',
    '-s',
    'BTC-PERPETUAL',
    ...days,
  ];
  const { exitCode, stderr } = await leave(t, words, env);
  assert.deepEqual([exitCode, stderr], [0, '']);
});

test('convert reports how much was written to the pipe', async (t) => {
  if (!existsSync('/proc/self/status')) return t.skip('no way to look at a process here');
  const service = await sandbox(t, { rows: 60_000 });
  const dir = await tempDir(t);
  const env = envOf(service, dir);
  const download = ['download', 'deribit', '-t', 'trades', '-s', 'BTC-PERPETUAL', '--date', '2024-03-01'];
  assert.equal((await runHere(download, { env })).exitCode, 0);
  for (const jobs of ['1', '2']) {
    const { taken, exitCode, stderr } = await leave(t, ['convert', dir, '-o', '-', '-j', jobs], env);
    assert.equal(exitCode, 0, stderr);
    assert.match(stderr, new RegExp(`^stdout: the reader closed it after ${formatSize(taken.length)}$`, 'm'));
  }
});
