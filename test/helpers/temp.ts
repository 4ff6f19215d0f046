import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { cleanUp } from './clean-up.js';

/** A new folder that is removed after the test. */
export async function tempDir(t: TestContext): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'tickhaul-test-'));
  cleanUp(t, () => rm(dir, { recursive: true, force: true }));
  return dir;
}

/** A new folder that is the working folder of this process until the test ends. */
export async function workingDir(t: TestContext): Promise<string> {
  const before = process.cwd();
  const dir = await tempDir(t);
  cleanUp(t, () => process.chdir(before));
  process.chdir(dir);
  return dir;
}

/** Names in a folder, sorted, without hidden files. */
export async function namesIn(dir: string): Promise<readonly string[]> {
  return (await readdir(dir)).filter((name) => !name.startsWith('.')).sort();
}
