import { statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/**
 * Free bytes for this user on the disk of a folder, which need not exist yet; undefined if the system does
 * not report it.
 */
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
