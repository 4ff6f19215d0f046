import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { measure } from './measure.js';

/**
 * Runs peers in turn (A B C A B C …), each into a folder of its own that is removed after. `onRun` is told of
 * each.
 * @returns the peers' measurements, round by round.
 * @throws where a peer fails, or leaves other files than the service has.
 */
export async function compare(peers, { files, bytes, rounds, scratch, onRun }) {
  const runs = peers.map(({ name }) => ({ name, measured: [] }));
  for (let round = 0; round < rounds; round++) {
    for (const [index, peer] of peers.entries()) {
      const folder = join(scratch, 'downloads');
      await mkdir(folder);
      const [command, env] = await peer.command(folder, files);
      const result = await measure(command, env, join(scratch, 'usage'));
      await assertComplete(peer, folder, files.length, bytes);
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

async function assertComplete({ name }, folder, count, bytes) {
  const found = await sizeOf(folder);
  if (found.count === count && found.bytes === bytes) return;
  throw new Error(`${name} left ${found.count} files of ${found.bytes} bytes, not ${count} of ${bytes}`);
}
