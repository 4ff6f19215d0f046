import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { compare } from './compare.js';
import { formatRuns } from './table.js';

/**
 * Options of benchmarks with several sections: `--rounds` (default 3), `--scale` (default 1), `--only`.
 * @param more additional options, for `parseArgs`.
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

/** Prints the environment, and runs the selected sections one after the other. */
export async function runSections(sections, { rounds, only }) {
  process.stdout.write(
    `${availableParallelism()} processors, Node ${process.version}, median of ${rounds} rounds\n`,
  );
  for (const [name, section] of Object.entries(sections)) if (only?.includes(name) ?? true) await section();
}

/**
 * Runs peers in turn, and prints their table. @returns the runs, as `compare` does.
 * @param check as in `compare`; none by default.
 */
export async function report(title, peers, { rounds, scratch, check = async () => ({}) }) {
  const runs = await compare(peers, { files: [], rounds, scratch, onRun, check });
  process.stdout.write(`\n### ${title}\n\n${formatRuns(runs)}\n`);
  return runs;
}

/** Shows progress on stderr. */
export function onRun({ name }, round, { wall }) {
  process.stderr.write(`round ${round + 1}: ${name} ${wall.toFixed(2)} s\n`);
}
