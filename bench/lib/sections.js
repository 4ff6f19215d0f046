import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { compare } from './compare.js';
import { formatRuns } from './table.js';

/**
 * Options that benchmarks of several sections have in common: `--rounds` (default 3), `--scale` (default 1), `--only`.
 * @param more of this one, as `parseArgs` takes them.
 */
export function readOptions(more = {}) {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '3' },
      scale: { type: 'string', default: '1' },
      only: { type: 'string', multiple: true },
      ...more,
    },
  });
  return {
    ...values,
    rounds: Math.max(1, Number(values.rounds) || 3),
    scale: Number(values.scale) || 1,
  };
}

/** Says what it runs on, and runs those sections that are wanted, one after the other. */
export async function runSections(sections, { rounds, only }) {
  process.stdout.write(
    `${availableParallelism()} processors, Node ${process.version}, median of ${rounds} rounds\n`,
  );
  for (const [name, section] of Object.entries(sections)) if (only?.includes(name) ?? true) await section();
}

/**
 * Runs peers in turn, and prints their table. @returns the runs, as `compare` does.
 * @param check as of `compare`; nothing by default.
 */
export async function report(title, peers, { rounds, scratch, check = async () => ({}) }) {
  const runs = await compare(peers, { files: [], rounds, scratch, onRun, check });
  process.stdout.write(`\n### ${title}\n\n${formatRuns(runs)}\n`);
  return runs;
}

/** For whoever waits. */
export function onRun({ name }, round, { wall }) {
  process.stderr.write(`round ${round + 1}: ${name} ${wall.toFixed(2)} s\n`);
}
