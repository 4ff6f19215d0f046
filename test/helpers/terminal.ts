import { execFileSync } from 'node:child_process';
import { BIN, type Started, start } from './cli.js';

/** Whether `script` of util-linux is installed, which runs a program in a terminal. */
function hasScript(): boolean {
  try {
    return execFileSync('script', ['--version'], { encoding: 'utf8', stdio: 'pipe' }).includes('util-linux');
  } catch {
    return false;
  }
}

/** Why tests that need a terminal are skipped; false if they can run. */
export const NO_TERMINAL = hasScript() ? false : 'needs script of util-linux';

/** Starts a shell script in a terminal. `tickhaul` is the built command there, stdin the keyboard. */
export function inTerminal(script: string, cwd: string, env: Record<string, string>): Started {
  const withCommand = `tickhaul() { "${process.execPath}" "${BIN}" "$@"; }\n${script}`;
  return start([], {
    command: ['sh', '-c', 'exec script -qfec "$SCRIPT" /dev/null'],
    env: { ...env, SCRIPT: withCommand, SHELL: '/bin/sh', TERM: 'xterm' },
    cwd,
    keepStdin: true,
  });
}
