import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
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

/** Mounts a file system until its stdin ends: with the test, or with a process of tests that is killed. */
const MOUNT = `trap '' INT TERM HUP
  mount -t tmpfs -o "size=$1" tmpfs "$0" && echo mounted && cat
  umount -l "$0"; rmdir "$0"`;

/**
 * A file system of a size such as `400k`, removed after the test. Skips the test if mounting is not
 * permitted.
 */
export async function smallDisk(t: TestContext, size: string): Promise<SmallDisk | undefined> {
  const dir = await mkdtemp(join(tmpdir(), 'tickhaul-test-small-'));
  const mounting = spawn('sh', ['-c', MOUNT, dir, size], { stdio: ['pipe', 'pipe', 'ignore'] });
  const ended = once(mounting, 'exit');
  cleanUp(t, async () => {
    mounting.stdin.end();
    await ended;
  });
  const mounted = once(mounting.stdout, 'data').then(() => true);
  if (!(await Promise.race([mounted, ended.then(() => false)]))) {
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
