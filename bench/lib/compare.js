import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { measure } from './measure.js';

/**
 * Runs peers in turn (A B C A B C …), each into a folder of its own that is removed after. `onRun` is told of
 * each.
 * @param check looks at what a peer left in its folder; what it returns belongs to the measurement.
 * @returns the peers' measurements, round by round.
 * @throws where a peer fails, and what `check` throws.
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

/** Bytes of the day files in a folder, and how many there are. */
export async function sizeOf(folder) {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.csv.gz'));
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).size));
  return { count: names.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

/** A check that a peer left so many day files, of so many bytes. */
export function wholeFiles(count, bytes) {
  return async ({ name }, folder) => {
    const found = await sizeOf(folder);
    if (found.count === count && found.bytes === bytes) return;
    throw new Error(`${name} left ${found.count} files of ${found.bytes} bytes, not ${count} of ${bytes}`);
  };
}
