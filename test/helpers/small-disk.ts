import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { cleanUp } from './clean-up.js';

export interface SmallDisk {
  readonly dir: string;
  /** Enlarges it, so that no test fills it. */
  grow(): void;
  /** Remounts it read-only. */
  seal(): void;
}

/**
 * A file system of a size such as `400k`, removed after the test. Skips the test if mounting is not
 * permitted.
 */
export async function smallDisk(t: TestContext, size: string): Promise<SmallDisk | undefined> {
  const dir = await mkdtemp(join(tmpdir(), 'tickhaul-test-small-'));
  let isMounted = false;
  cleanUp(t, async () => {
    if (isMounted) execFileSync('umount', [dir]);
    await rm(dir, { recursive: true, force: true });
  });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', dir], { stdio: 'ignore' });
    isMounted = true;
  } catch {
    t.skip('no right to mount a small file system here');
    return undefined;
  }
  return {
    dir,
    grow() {
      execFileSync('mount', ['-o', 'remount,size=50m', dir]);
    },
    seal() {
      execFileSync('mount', ['-o', 'remount,ro', dir]);
    },
  };
}
