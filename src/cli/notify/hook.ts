import { spawn } from 'node:child_process';
import { kill } from 'node:process';
import type { Cli } from '../types.js';

/** Milliseconds after which a command of the user's is ended. */
export const HOOK_MS = 60_000;

const LAST_CHARACTERS = 300;

/**
 * Runs a shell command with a text on its stdin; what it prints on stdout is passed over.
 * @throws Error, in one line, for a command that doesn't begin, takes too long, or ends with another code than 0.
 */
export function runHook(
  command: string,
  input: string,
  { env }: Pick<Cli, 'env'>,
  timeoutMs = HOOK_MS,
): Promise<void> {
  return new Promise((resolve, reject) => {
    // A process group of its own, so that what the shell started ends with it.
    const child = spawn(command, { shell: true, detached: true, env, stdio: ['pipe', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-LAST_CHARACTERS);
    });
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      endGroup(child.pid);
    }, timeoutMs);
    child.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.on('exit', (code, signal) => {
      clearTimeout(timer);
      // What it left running may hold the pipe open.
      child.stderr.destroy();
      if (code === 0) return resolve();
      const how = isLate
        ? `took longer than ${timeoutMs / 1000}s and was ended`
        : code === null
          ? `ended by ${signal}`
          : `ended with code ${code}`;
      reject(new Error([how, said.trim().split('\n').at(-1)].filter(Boolean).join(': ')));
    });
    // A command that doesn't read its stdin is fine.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) kill(-pid, 'SIGKILL');
  } catch {
    // It ended by itself in the meantime.
  }
}
