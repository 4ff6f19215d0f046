// Runs all tests with those that `npm test` leaves out or shortens, then the longest forms of some: all, or the steps
// that are named.
//   npm run test:nightly -- kills queue
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

process.chdir(join(import.meta.dirname, '..'));

const TESTS = 'dist/test/run.js';
const STEPS = [
  { name: 'tests', command: ['scripts/test.js'], env: {} },
  { name: 'kills', command: [TESTS, 'cli/replay/killed'], env: { KILLS: '100' } },
  { name: 'queue', command: [TESTS, 'cli/fleet/fault-run'], env: { SLICES: '10000' } },
  { name: 'simulation', command: [TESTS, 'fleet/simulation'], env: { FULL: '1' } },
  { name: 'answers', command: ['dist/test/raw-feeds/same-answer.test.js'], env: { ROUNDS: '1000' } },
  { name: 'node-versions', command: [TESTS, 'cli/node-versions'], env: { NODE_VERSIONS: '22,24' } },
  { name: 'zip64', command: [TESTS, 'export/hftbacktest/write-npz'], env: { NPZ_BLOCKS: '4100' } },
  { name: 'planted-faults', command: ['scripts/planted-faults/run.js'], env: {} },
  { name: 'fuzz', command: ['dist/test/format/fuzz/main.js', '--seconds', '3600'], env: {} },
  { name: 'soak', command: ['dist/test/soak/main.js', '--minutes', '10'], env: {} },
];
const names = process.argv.slice(2);
const unknown = names.find((name) => !STEPS.some((step) => step.name === name));
if (unknown !== undefined) {
  process.stderr.write(`unknown step ${unknown}; valid steps: ${STEPS.map(({ name }) => name).join(', ')}\n`);
  process.exit(2);
}

const build = spawnSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' });
if (build.status !== 0) process.exit(build.status ?? 1);

const steps = STEPS.filter(({ name }) => names.length === 0 || names.includes(name));
const failed = steps.filter(({ name, command, env }) => {
  process.stdout.write(`\n== ${name}\n`);
  const { status } = spawnSync(process.execPath, command, {
    stdio: 'inherit',
    env: { ...process.env, TICKHAUL_NIGHTLY: '1', ...env },
  });
  return status !== 0;
});
for (const { name } of failed) process.stdout.write(`failed: ${name}\n`);
process.exit(failed.length === 0 ? 0 : 1);
