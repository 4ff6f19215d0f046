// Runs the long forms of the tests that `npm test` runs in a small form: kills, faults, simulations, fuzzing, a soak.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

process.chdir(join(import.meta.dirname, '..'));

const TESTS = ['dist/test/run.js'];
const STEPS = [
  { name: '100 kills of a replay', command: [...TESTS, 'cli/replay/killed'], env: { KILLS: '100' } },
  {
    name: '10,000 slices of a queue with faults',
    command: [...TESTS, 'cli/fleet/fault-run'],
    env: { SLICES: '10000' },
  },
  { name: '1,000 workers, 10 million files', command: [...TESTS, 'fleet/simulation'], env: { FULL: '1' } },
  {
    name: 'the same answers whatever is cached',
    command: ['dist/test/feeds/same-answer.test.js'],
    env: { ROUNDS: '1000' },
  },
  { name: 'fuzzing for an hour', command: ['dist/test/format/fuzz/main.js', '--seconds', '3600'], env: {} },
  {
    name: 'a soak of the server for ten minutes',
    command: ['dist/test/soak/main.js', '--minutes', '10'],
    env: {},
  },
];

const build = spawnSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' });
if (build.status !== 0) process.exit(build.status ?? 1);

const failed = STEPS.filter(({ name, command, env }) => {
  process.stdout.write(`\n== ${name}\n`);
  const { status } = spawnSync(process.execPath, command, {
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  return status !== 0;
});
for (const { name } of failed) process.stdout.write(`failed: ${name}\n`);
process.exit(failed.length === 0 ? 0 : 1);
