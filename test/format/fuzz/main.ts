/**
 * Fuzzes all targets in turn: `npm run fuzz -- --seconds 3600`. Each round has its own seed, so that a failed
 * one can be repeated alone; the command is printed.
 */
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { seededRandom } from '../../../src/sandbox/simulation/seeded-random.js';
import type { FuzzTarget } from './target.js';
import { TARGETS } from './targets.js';

/** Time for a target before the next one runs. */
const TURN_MS = 200;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Date.now()) },
    target: { type: 'string' },
    round: { type: 'string' },
  },
});
const { seed, target: targetName, round } = values;
const say = (text: string): void => void process.stdout.write(`${text}\n`);

const targets = TARGETS.filter(({ name }) => targetName === undefined || name === targetName);
if (targets.length === 0) {
  say(`no target ${targetName}: there are ${TARGETS.map(({ name }) => name).join(', ')}`);
  process.exit(2);
}
const rounds = new Map(targets.map(({ name }) => [name, Number(round ?? 0)]));
const end = performance.now() + Number(values.seconds) * 1000;
say(`seed ${seed}`);
do {
  for (const target of targets) await runTarget(target);
} while (round === undefined && performance.now() < end);
for (const [name, count] of rounds) say(`${name}: ${round === undefined ? count : 1} rounds, nothing found`);

async function runTarget(target: FuzzTarget): Promise<void> {
  const turnEnd = Math.min(end, performance.now() + TURN_MS);
  do {
    const nth = rounds.get(target.name) ?? 0;
    await runRound(target, nth);
    rounds.set(target.name, nth + 1);
  } while (round === undefined && performance.now() < turnEnd);
}

async function runRound({ name, round: run }: FuzzTarget, nth: number): Promise<void> {
  let input: Uint8Array = new Uint8Array();
  try {
    await run(seededRandom(seed, name, nth), (bytes) => {
      input = bytes;
    });
  } catch (error) {
    const path = join(tmpdir(), `fuzz-${name}-${seed}-${nth}`);
    writeFileSync(path, input);
    say(error instanceof Error ? (error.stack ?? error.message) : String(error));
    say(`the input is ${path}; again: npm run fuzz -- --target ${name} --seed ${seed} --round ${nth}`);
    process.exit(1);
  }
}
