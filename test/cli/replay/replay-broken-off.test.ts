import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { csvOf, writeDayFile } from '../../convert/day-files.js';
import { BIN, envOf, start } from '../../helpers/cli.js';
import { sandbox } from '../../helpers/sandbox.js';
import { tempDir } from '../../helpers/temp.js';
import { until } from '../../helpers/until.js';
import { repeated } from '../convert/converting.js';

const ARGS = ['replay', 'deribit', '-t', 'trade,trade_bar_1ticks', '--date', '2024-03-01', '--json'];

interface LongReplay {
  readonly dir: string;
  readonly env: Record<string, string>;
}

/** A folder with two files that take many seconds, and that are replayed in threads. */
async function longReplay(t: TestContext): Promise<LongReplay> {
  const dir = await tempDir(t);
  for (const symbol of ['A', 'B']) {
    const text = csvOf('trades', 50_000).replaceAll('BTC-PERPETUAL', symbol);
    await writeDayFile(dir, 'trades', repeated(text, 40), symbol);
  }
  const service = await sandbox(t, { replayDir: dir, exportedUntil: undefined });
  return { dir, env: envOf(service, dir) };
}

function lastLineOf(stderr: string): Record<string, unknown> {
  return JSON.parse(stderr.trimEnd().split('\n').at(-1) ?? '');
}

/** A value of a process's status, in kB. */
function statusOf(pid: number | undefined, name: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)?.[1]);
}

/** CPU time of a process, in clock ticks. */
function ticksOf(pid: number | undefined): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return Number(fields[11]) + Number(fields[12]);
}

test('a slow reader slows the replay in bounded memory, and its leaving is a normal end', async (t) => {
  if (!existsSync('/proc/self/status')) {
    t.skip('no way to look at a process here');
    return;
  }
  const { env } = await longReplay(t);
  const child = spawn(process.execPath, [BIN, ...ARGS], {
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  await once(child.stdout, 'readable');
  // It fills its buffers, and then stops.
  for (let before = 0, ticks = ticksOf(child.pid); ticks > before + 2; ) {
    await new Promise((resolve) => setTimeout(resolve, 300));
    before = ticks;
    ticks = ticksOf(child.pid);
  }
  const peak = statusOf(child.pid, 'VmHWM');
  assert.ok(peak < 400_000, `${peak} kB`);
  child.stdout.destroy();
  const [exitCode] = await once(child, 'close');
  assert.equal(exitCode, 0, stderr);
  const summary = lastLineOf(stderr);
  assert.equal(summary['exitCode'], 0);
  assert.ok((summary['bytes'] as number) < 50_000_000, `${summary['bytes']} bytes`);
});

test('SIGTERM is code 143, with complete lines and a summary', async (t) => {
  const { env } = await longReplay(t);
  const { child, printed, finished } = start(ARGS, { env });
  await printed('\n');
  child.kill('SIGTERM');
  const { exitCode, stdout, stderr } = await finished;
  assert.equal(exitCode, 143, stderr);
  const summary = lastLineOf(stderr);
  const lines = stdout.split('\n');
  assert.equal(lines.pop(), '');
  assert.equal(lines.length, summary['messages']);
  JSON.parse(lines.at(-1) ?? '');
});

test('SIGKILL with -o leaves no file with the final name', async (t) => {
  const { dir, env } = await longReplay(t);
  const out = join(dir, 'out');
  const { child, finished } = start([...ARGS, '-o', join(out, 'a.ndjson')], { env });
  const isBegun = (): boolean =>
    existsSync(out) && readdirSync(out).some((name) => statSync(join(out, name)).size > 0);
  await until('a part of the file', isBegun, finished);
  child.kill('SIGKILL');
  await finished;
  assert.deepEqual(
    readdirSync(out).filter((name) => !name.endsWith('.part')),
    [],
  );
});
