import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { measure } from './measure.js';

/**
 * Runs peers in turn (A B C A B C …), each with its own folder, which is removed afterwards. `onRun` is called for
 * each.
 * @param check inspects the output in a peer's folder; its result is added to the measurement.
 * @returns the peers' measurements, round by round.
 * @throws if a peer fails; errors of `check`.
 */
export async function compare(peers, { files, rounds, scratch, onRun, check }) {
  const runs = peers.map(({ name, rows }) => ({ name, rows, measured: [] }));
  for (let round = 0; round < rounds; round++) {
    for (const [index, peer] of peers.entries()) {
      const folder = join(scratch, 'output');
      await mkdir(folder);
      const [command, env] = await peer.command(folder, files);
      const result = await measure(command, env, join(scratch, 'usage'));
      Object.assign(result, await check(peer, folder));
      await rm(folder, { recursive: true });
      onRun(peer, round, result);
      runs[index].measured.push(result);
    }
  }
  return runs;
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
