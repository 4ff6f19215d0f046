import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { verifyFile } from '../../../src/gzip/verify-file.js';
import type { SandboxOptions } from '../../../src/sandbox/sandbox-options.js';
import { envOf, type Started, start, succeeded, tickhaul } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { SOME_STALLED, sandbox, sandboxAndFolder } from '../../helpers/sandbox.js';
import { nightlyTest, usualTest } from '../../helpers/services.js';
import { namesIn, tempDir } from '../../helpers/temp.js';
import { until } from '../../helpers/until.js';
import { DAYS, lastLine } from './downloading.js';

const SLOW: SandboxOptions = { redirect: true, rows: 2000, rate: 30_000 };

/** Waits until each of the 14 files is complete, or has a part with content. */
function allFilesAppear(dir: string, { finished }: Started): Promise<boolean> {
  const areThere = async (): Promise<boolean> => {
    const names = await namesIn(dir);
    const sizes = names.map((name) => statSync(join(dir, name), { throwIfNoEntry: false })?.size ?? 0);
    return sizes.filter((size) => size > 0).length === 14;
  };
  return until('a part of each file', areThere, finished);
}

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  const declare = signal === 'SIGINT' ? usualTest : nightlyTest;
  declare(
    `${signal} ends with code ${code}, keeps the part files and prints a summary; the next run resumes`,
    async (t) => {
      const { service, dir, env } = await sandboxAndFolder(t, {
        ...SOME_STALLED,
        redirect: true,
        rows: 20_000,
      });
      const run = start([...DAYS, '--json', '--verbose', '-j', '14'], { env });
      const { child, printed, finished } = run;
      await printed('"event":"file"');
      await allFilesAppear(dir, run);
      child.kill(signal);
      const first = await finished;
      assert.doesNotMatch(first.stderr, /cannot be continued/);
      assert.equal(first.exitCode, code, first.stderr);
      const summary = lastLine(first);
      assert.deepEqual([summary?.event, summary?.['exitCode']], ['summary', code]);
      assert.ok(Number(summary?.['unfinished']) > 0);
      assert.ok((await namesIn(dir)).some((name) => name.endsWith('.part')));
      await succeeded(runHere([...DAYS, '--json'], { env }));
      assert.ok(service.requests.some((request) => request.host === 'objects' && request.status === 206));
      assert.equal((await namesIn(dir)).filter((name) => name.endsWith('.part')).length, 0);
      for (const name of await namesIn(dir)) await verifyFile(join(dir, name));
    },
  );
}

test('an interrupt says that part files cannot be continued if the service offers no ranges', async (t) => {
  const { dir, env } = await sandboxAndFolder(t, { ...SOME_STALLED, rows: 20_000 });
  const run = start([...DAYS, '-j', '14'], { env });
  await allFilesAppear(dir, run);
  run.child.kill('SIGINT');
  const { exitCode, stderr } = await run.finished;
  assert.equal(exitCode, 130, stderr);
  const said = stderr.match(/^part files cannot be continued, since the service offers no ranges; /gm);
  assert.equal(said?.length, 1, stderr);
});

test('a hangup does not end a run without a terminal, as under nohup', async (t) => {
  const service = await sandbox(t, SLOW);
  const { child, printed, finished } = start([...DAYS, '--json'], { env: envOf(service, await tempDir(t)) });
  await printed('"event":"file"');
  child.kill('SIGHUP');
  const { exitCode, stderr } = await finished;
  assert.equal(exitCode, 0, stderr);
});

test('after SIGKILL, a run completes and verifies, and downloads nothing twice', async (t) => {
  let onFile = (): void => {};
  const { service, dir, env } = await sandboxAndFolder(t, {
    onRequest: ({ host }) => host === 'datasets' && onFile(),
  });
  for (let kill = 0; kill < 3; kill++) {
    const { child, finished } = start([...DAYS, '--json', '-j', '2'], { env });
    let files = 0;
    // With two files in flight, the third shows that one is complete; three kills leave work for the last run.
    onFile = () => ++files === 3 && child.kill('SIGKILL');
    await finished;
    assert.equal(child.signalCode, 'SIGKILL');
    for (const name of await namesIn(dir)) if (name.endsWith('.csv.gz')) await verifyFile(join(dir, name));
  }
  await succeeded(runHere([...DAYS, '--json'], { env }));
  const files = await namesIn(dir);
  assert.equal(files.length, 14);
  for (const name of files) await verifyFile(join(dir, name));
  const whole = service.requests.filter(
    ({ host, status, fault }) => host === 'datasets' && status === 200 && !fault,
  );
  assert.ok(whole.length <= 14 + 3 * 4, 'only what was in flight at a kill is asked for again');
});

nightlyTest('two concurrent processes both download to one folder successfully', async (t) => {
  const { dir, env } = await sandboxAndFolder(t, { latencyMs: 10 });
  const both = await Promise.all([
    tickhaul([...DAYS, '--json'], { env }),
    tickhaul([...DAYS, '--json'], { env }),
  ]);
  for (const finished of both) assert.equal(finished.exitCode, 0, finished.stderr);
  const files = await namesIn(dir);
  assert.equal(files.length, 14);
  for (const name of files) await verifyFile(join(dir, name));
  const again = await runHere([...DAYS, '--json'], { env });
  assert.equal(lastLine(again)?.['skipped'], 14);
});
