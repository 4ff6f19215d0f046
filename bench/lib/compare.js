import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { measure } from './measure.js';
import { OLD_TICKHAUL, TICKHAUL } from './service.js';

/**
 * Runs peers in turn (A B C A B C …), each with its own folder, which is removed afterwards. `onRun` is called for
 * each. With an older build (`TICKHAUL_OLD`), what runs tickhaul is followed by the same command of that build, which
 * `command` gets as its third argument.
 * @param check inspects the output in a peer's folder; its result is added to the measurement.
 * @returns the peers' measurements, round by round; those of an older build last, with the run that they belong to as
 *   `newer`.
 * @throws if a peer fails; errors of `check`.
 */
export async function compare(peers, { files, rounds, scratch, onRun, check }) {
  const runs = peers.map(({ name, rows }) => ({ name, rows, measured: [] }));
  const olderRuns = runs.map((newer) => ({ ...newer, name: `older ${newer.name}`, measured: [], newer }));
  const measureOne = async (peer, { name, measured }, command, env, round) => {
    const folder = join(scratch, 'output');
    const result = await measure(command, env, join(scratch, 'usage'));
    Object.assign(result, await check(peer, folder));
    await rm(folder, { recursive: true });
    onRun({ ...peer, name }, round, result);
    measured.push(result);
  };
  for (let round = 0; round < rounds; round++) {
    for (const [index, peer] of peers.entries()) {
      const folder = join(scratch, 'output');
      await mkdir(folder);
      const [command, env] = await peer.command(folder, files);
      await measureOne(peer, runs[index], command, env, round);
      if (!OLD_TICKHAUL || !command.includes(TICKHAUL)) continue;
      await mkdir(folder);
      const [again, itsEnv] = await peer.command(folder, files, OLD_TICKHAUL);
      const older = again.map((word) => (word === TICKHAUL ? OLD_TICKHAUL : word));
      await measureOne(peer, olderRuns[index], older, itsEnv, round);
    }
  }
  return [...runs, ...olderRuns.filter(({ measured }) => measured.length > 0)];
}

/** Bytes and number of the day files in a folder. */
export async function sizeOf(folder) {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.csv.gz'));
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
  return { count: names.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

/** A check that a peer left the expected number and bytes of day files. */
export function wholeFiles(count, bytes) {
  return async ({ name }, folder) => {
    const found = await sizeOf(folder);
    if (found.count === count && found.bytes === bytes) return;
    throw new Error(`${name} left ${found.count} files of ${found.bytes} bytes, not ${count} of ${bytes}`);
  };
}
