import { spawn } from 'node:child_process';
import { sanitizeForTerminal } from '../../base/sanitize-for-terminal.js';
import { Secrets } from '../../base/secrets.js';
import type { CommandHost } from '../command-host.js';
import { KEY_VARIABLES, withoutKeys } from '../settings.js';

/** Milliseconds after which a command of the user's is ended. */
const HOOK_MS = 60_000;
/** Milliseconds that what it said has to come through, once it has ended. */
const LAST_WORDS_MS = 200;

/** Of what it says, how much is kept, and how much of its last line is told: a key in it is seen whole, or not told. */
const KEPT_CHARACTERS = 4096;
const TOLD_CHARACTERS = 300;

export interface HookOptions {
  readonly timeoutMs?: number | undefined;
  /** Ends the wait for it, and not the command. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs a shell command with a text on its stdin; what it prints on stdout is passed over.
 * @throws Error, in one line, for a command that doesn't begin, takes too long, or ends with another code than 0.
 */
export function runHook(
  command: string,
  input: string,
  { env, endGroup }: Pick<CommandHost, 'env' | 'endGroup'>,
  { timeoutMs = HOOK_MS, signal: noMore }: HookOptions = {},
): Promise<void> {
  return new Promise((resolve, reject) => {
    // A process group of its own, so that what the shell started ends with it.
    const child = spawn(command, {
      shell: true,
      detached: true,
      // It has no need of the API key, and what it starts may log its environment.
      env: withoutKeys(env),
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-KEPT_CHARACTERS);
    });
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      try {
        if (child.pid !== undefined) endGroup(child.pid);
      } catch {
        // It ended by itself in the meantime.
      }
    }, timeoutMs);
    const leave = (): void => {
      clearTimeout(timer);
      child.unref();
      child.stderr.destroy();
      reject(new Error('was left running, because the run was broken off'));
    };
    if (noMore?.aborted) setImmediate(leave);
    else noMore?.addEventListener('abort', leave, { once: true });
    child.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.on('exit', () => {
      // What it left running may hold the pipe open.
      setTimeout(() => child.stderr.destroy(), LAST_WORDS_MS).unref();
    });
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      noMore?.removeEventListener('abort', leave);
      if (code === 0) return resolve();
      const how = isLate
        ? `took longer than ${timeoutMs / 1000}s and was ended`
        : code === null
          ? `ended by ${signal}`
          : `ended with code ${code}`;
      reject(new Error([how, lastLine(said, env)].filter(Boolean).join(': ')));
    });
    // A command that doesn't read its stdin is fine.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

/** Without the key, wherever it may have it from. */
function lastLine(said: string, env: CommandHost['env']): string {
  const secrets = new Secrets();
  for (const name of KEY_VARIABLES) secrets.add(env[name]?.trim() ?? '');
  const line = secrets.redact(said.trim()).split('\n').at(-1) ?? '';
  return sanitizeForTerminal(line.slice(-TOLD_CHARACTERS));
}
