#!/usr/bin/env node
import nodeModule from 'node:module';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

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
    process.stdout.write(await complete(words, process.env, homedir));
    process.exitCode = 0;
  } else {
    const { main } = await import('../src/cli/main.js');
    await main();
  }
} catch (error) {
  const problem = error instanceof Error ? error.message : String(error);
  const advice = /^E[MN]FILE/.test(problem)
    ? 'raise the limit of open files (ulimit -n)'
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
  const cacheFolder = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  if (isAbsolute(cacheFolder)) enableCompileCache?.(join(cacheFolder, 'tickhaul', 'compiled'));
}
