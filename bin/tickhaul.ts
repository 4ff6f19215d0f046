#!/usr/bin/env node
import { existsSync } from 'node:fs';
import nodeModule from 'node:module';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** Folders in which nothing can be created, and which have no names that users give to files. */
const EMPTY_FOLDERS = ['/proc/self/fdinfo', '/dev/fd'];

/**
 * Entry point of the command. It imports no module of tickhaul statically, so a failure while they load (no free file
 * descriptor, a missing file) is printed as one line with exit code 1. Node's own exit codes, such as 7 and 13, have
 * other meanings here.
 */
process.exitCode = 1;
try {
  enableCompileCacheFolder();
  const [word, ...words] = process.argv.slice(2);
  if (word === '__complete') {
    const { complete } = await import('../src/cli/completion/complete.js');
    process.stdout.write(await complete(words, process.env, findHome));
    process.exitCode = 0;
  } else {
    const hasFolder = hasWorkingFolder();
    const { main } = await import('../src/cli/main.js');
    await main(hasFolder);
  }
} catch (error) {
  const problem = error instanceof Error ? error.message : String(error);
  const advice = /^E[MN]FILE/.test(problem)
    ? 'raise the limit of open files (ulimit -n)'
    : problem.startsWith('the working folder')
      ? 'change to another folder'
      : 'install tickhaul again';
  process.stderr.write(`tickhaul: cannot start: ${problem.replace(/\s+/g, ' ')}; ${advice}\n`);
  process.exit(1);
}

/**
 * Enables Node's compile cache (Node 22.1 or later) in the user's cache folder: Node runs the code it finds
 * there.
 */
function enableCompileCacheFolder(): void {
  const { enableCompileCache } = nodeModule as { enableCompileCache?: (folder: string) => unknown };
  const cacheFolder = process.env['XDG_CACHE_HOME'] || join(findHome() ?? '', '.cache');
  if (isAbsolute(cacheFolder)) enableCompileCache?.(join(cacheFolder, 'tickhaul', 'compiled'));
}

/** The home folder; undefined if HOME is not set and the system has no entry of this user. */
function findHome(): string | undefined {
  try {
    return homedir();
  } catch {
    return undefined;
  }
}

/**
 * Without a working folder, Node 20 starts no thread, and packages do not load. So if it was removed, another one takes
 * its place in which all relative paths fail as they would without it.
 * @returns whether the working folder exists.
 */
function hasWorkingFolder(): boolean {
  try {
    return process.cwd() !== '';
  } catch {
    const folder = EMPTY_FOLDERS.find((path) => existsSync(path));
    if (folder === undefined) throw new Error('the working folder was removed');
    process.chdir(folder);
    return false;
  }
}
