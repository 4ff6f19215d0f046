import { statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** Bytes that a user may still write to the disk of a folder, be it there or still to be made; undefined where the system doesn't tell. */
export async function readFreeSpace(dir: string): Promise<number | undefined> {
  const folder = resolve(dir);
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize;
  } catch {
    const parent = dirname(folder);
    return parent === folder ? undefined : readFreeSpace(parent);
  }
}
