import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { envOf, jsonLines, type Started, start } from '../../helpers/cli.js';
import { STALLED, sandboxAndFolder } from '../../helpers/sandbox.js';
import { inTerminal, NO_TERMINAL } from '../../helpers/terminal.js';
import { until } from '../../helpers/until.js';
import { serve } from '../../service/loopback.js';

const JOBS = `jobs:
  - {name: a, exchange: binance-futures, types: trades, symbols: BTCUSDT, last: 9d}
`;

interface Hanging extends Started {
  /** Resolves with the process id of the failure hook. */
  hook(): Promise<number>;
}

/** A running sync with a failure hook that hangs. @param more settings. */
async function hanging(t: TestContext, more = ''): Promise<Hanging> {
  const { service, dir } = await sandboxAndFolder(t, { ...STALLED, rows: 3000 });
  const path = join(dir, 'tickhaul.yaml');
  const pidFile = join(dir, 'pid');
  await writeFile(path, `onFailure: echo $$ > ${pidFile}; exec sleep 600\n${more}${JOBS}`);
  const started = start(['sync', '--json', '--config', path], { env: envOf(service, join(dir, 'data')) });
  await started.printed('"event":"plan"');
  const hook = async (): Promise<number> => Number(await lineIn(pidFile));
  return { ...started, hook };
}

/** The content of a file after its first complete line: a hook may write it after the run that started it has ended. */
function lineIn(path: string): Promise<string> {
  return until(path, async () => {
    const text = await readFile(path, 'utf8').catch(() => '');
    return text.endsWith('\n') ? text : '';
  });
}

test('an interrupted run ends with its summary, though its notifications hang', async (t) => {
  const mute = await serve(t, () => {});
  const { child, finished, hook } = await hanging(t, `ping: ${mute}/s3cret\n`);
  child.kill('SIGTERM');
  const ended = await finished;
  process.kill(await hook(), 'SIGKILL');
  assert.equal(ended.exitCode, 143);
  const summary = jsonLines(ended).at(-1);
  assert.deepEqual([summary?.event, summary?.['exitCode'], summary?.['unfinished']], ['summary', 143, 9]);
  assert.match(ended.stderr, /ping to \S+ failed/);
  assert.match(ended.stderr, /on-failure: the command was left running/);
  assert.doesNotMatch(ended.stderr, /s3cret/);
});

test('a second interrupt ends the run at once, with a summary too', async (t) => {
  const { child, finished, hook } = await hanging(t);
  child.kill('SIGINT');
  const pid = await hook();
  child.kill('SIGINT');
  const ended = await finished;
  process.kill(pid, 'SIGKILL');
  assert.equal(ended.exitCode, 130);
  const summaries = jsonLines(ended).filter(({ event }) => event === 'summary');
  assert.deepEqual([summaries.length, summaries[0]?.['exitCode']], [1, 130]);
  assert.equal(jsonLines(ended).at(-1)?.event, 'summary');
});

test('a run whose terminal is closed ends cleanly and sends its notifications', {
  skip: NO_TERMINAL,
}, async (t) => {
  const { service, dir } = await sandboxAndFolder(t, { ...STALLED, rows: 3000 });
  await writeFile(join(dir, 'tickhaul.yaml'), `onFailure: cat > ${dir}/heard\n${JOBS}`);
  const { child, printed } = inTerminal(
    'tickhaul sync --config tickhaul.yaml',
    dir,
    envOf(service, join(dir, 'data')),
  );
  await printed(/_trades_2024-03-\d\d_BTCUSDT +\[/);
  child.kill('SIGKILL');
  const heard = await lineIn(join(dir, 'heard'));
  assert.equal((JSON.parse(heard) as { exitCode: number }).exitCode, 143);
});
