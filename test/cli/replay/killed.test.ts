import assert from 'node:assert/strict';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { envOf, start, succeeded, tickhaul } from '../../helpers/cli.js';
import { runHere } from '../../helpers/in-process.js';
import { busySandbox } from '../../helpers/sandbox.js';
import { nightlyTest } from '../../helpers/services.js';
import { tempDir } from '../../helpers/temp.js';

/** Number of kills: few here, a hundred in `npm run soak`. */
const KILLS = Number(process.env['KILLS'] ?? 2);
/** Minutes of the period, one slice each, so that slices are missing at the last kill too. */
const MINUTES = KILLS * 18;

interface KilledReplay {
  readonly env: Readonly<Record<string, string>>;
  readonly args: readonly string[];
  readonly dir: string;
  /** Addresses of slice requests, in order. */
  readonly asked: readonly string[];
  /** Resolves after this many more requests. */
  readonly more: (slices: number) => Promise<void>;
}

async function place(t: TestContext, minutes: number): Promise<KilledReplay> {
  const asked: string[] = [];
  let onSlice = (): void => {};
  const service = await busySandbox(t, {
    latencyMs: 5,
    feeds: { suggestedMinutes: 1 },
    onRequest({ url }) {
      if (!url.startsWith('/v1/data-feeds/')) return;
      asked.push(url);
      onSlice();
    },
  });
  const dir = await tempDir(t);
  const to = new Date(Date.UTC(2024, 2, 1, 0, minutes)).toISOString();
  return {
    dir,
    env: envOf(service, dir),
    args: ['replay', 'bitmex', '--channel', 'all', '--from', '2024-03-01', '--to', to, '-q'],
    asked,
    more(slices) {
      const target = asked.length + slices;
      return new Promise((resolve) => {
        onSlice = () => {
          if (asked.length >= target) resolve();
        };
      });
    },
  };
}

test(`gives the same bytes after ${KILLS} kills at arbitrary times`, async (t) => {
  const { env, args, dir, asked, more } = await place(t, MINUTES);
  const right = await succeeded(runHere([...args, '--cache-dir', join(dir, 'undisturbed')], { env }));
  const killed = [...args, '--cache-dir', join(dir, 'killed')];
  for (let kill = 0; kill < KILLS; kill++) {
    // Some slices later each time; every second kill is after more than the initial requests, so that some slices were stored.
    const enough = more((kill % 2 === 0 ? 1 : 12) + ((kill * 7) % 12));
    const run = start(killed, { env });
    await Promise.race([enough, run.finished]);
    run.child.kill('SIGKILL');
    const { stdout } = await run.finished;
    assert.ok(right.stdout.startsWith(stdout), `kill ${kill + 1}`);
  }
  const before = asked.length;
  const whole = await succeeded(runHere(killed, { env }));
  assert.ok(whole.stdout === right.stdout);
  // Requests of a killed process may still arrive after its end; their slices were not stored and are requested again.
  const fetched = new Set(asked.slice(before)).size;
  assert.ok(fetched > 0 && fetched < MINUTES, `${fetched} of ${MINUTES} slices were left`);
  await succeeded(runHere(['verify', '--cache', '--cache-dir', join(dir, 'killed')], { env }));
});

nightlyTest('two processes fill one cache', async (t) => {
  const { env, args, dir, asked } = await place(t, 60);
  const shared = [...args, '--cache-dir', join(dir, 'shared')];
  const [one, two] = await Promise.all([tickhaul(shared, { env }), tickhaul(shared, { env })]);
  for (const { exitCode, stderr } of [one, two]) assert.equal(exitCode, 0, stderr);
  assert.ok(one.stdout === two.stdout);
  const before = asked.length;
  const warm = await runHere([...shared, '--offline'], { env });
  assert.ok(warm.stdout === one.stdout && warm.stdout !== '');
  assert.equal(asked.length, before);
});
