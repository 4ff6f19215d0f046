#!/usr/bin/env node
import nodeModule from 'node:module';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/**
 * Loads the command. This file imports none of ours by itself, so that what fails while they are loaded (no file
 * handle left, a file that is gone) is told in a line, and ends with 1: Node's own codes, such as 7 and 13, are used
 * here for other things.
 */
process.exitCode = 1;
try {
  keepCompiled();
  const [word, ...asked] = process.argv.slice(2);
  if (word === '__complete') {
    const { complete } = await import('../src/cli/completion/complete.js');
    process.stdout.write(await complete(asked, process.env, homedir));
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

/** Has Node (22.1 on) keep what it compiled: in the user's own folder, since it runs what it finds there. */
function keepCompiled(): void {
  const { enableCompileCache } = nodeModule as { enableCompileCache?: (folder: string) => unknown };
  const cache = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  if (isAbsolute(cache)) enableCompileCache?.(join(cache, 'tickhaul', 'compiled'));
}
