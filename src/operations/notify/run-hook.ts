import { spawn } from 'node:child_process';
import { Secrets } from '../../base/secrets.js';
import { sanitizeForTerminal } from '../../base/text.js';
import type { CommandHost } from '../command-host.js';
import { KEY_VARIABLES, withoutKeys } from '../settings.js';

/** Timeout of a hook command, in milliseconds. */
const HOOK_TIMEOUT_MS = 60_000;
/** Milliseconds to read the rest of stderr after the command has exited. */
const STDERR_GRACE_MS = 200;

/**
 * Characters of stderr to keep, and of its last line to report. The kept part is longer, so that a key is
 * redacted whole.
 */
const MAX_KEPT_CHARACTERS = 4096;
const MAX_REPORTED_CHARACTERS = 300;

export interface HookOptions {
  readonly timeoutMs?: number | undefined;
  /** Ends the wait; the command continues to run. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs a shell command with a text on its stdin, and ignores its stdout.
 * @throws Error with a message of one line if the command cannot start, takes too long, or exits with a code other than 0.
 */
export function runHook(
  command: string,
  input: string,
  { env, endGroup }: Pick<CommandHost, 'env' | 'endGroup'>,
  { timeoutMs = HOOK_TIMEOUT_MS, signal: abortSignal }: HookOptions = {},
): Promise<void> {
  return new Promise((resolve, reject) => {
    // A new process group, so that processes started by the shell are killed with it.
    const child = spawn(command, {
      shell: true,
      detached: true,
      // The command does not need the API key, and may log its environment.
      env: withoutKeys(env),
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    let stderrText = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderrText = (stderrText + text).slice(-MAX_KEPT_CHARACTERS);
    });
    let isTimedOut = false;
    const timer = setTimeout(() => {
      isTimedOut = true;
      try {
        if (child.pid !== undefined) endGroup(child.pid);
      } catch {
        // The command has ended in the meantime.
      }
    }, timeoutMs);
    const stopWaiting = (): void => {
      clearTimeout(timer);
      child.unref();
      child.stderr.destroy();
      reject(new Error('was left running, because the run was interrupted'));
    };
    if (abortSignal?.aborted) setImmediate(stopWaiting);
    else abortSignal?.addEventListener('abort', stopWaiting, { once: true });
    child.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.on('exit', () => {
      // A background process of the command may keep the pipe open.
      setTimeout(() => child.stderr.destroy(), STDERR_GRACE_MS).unref();
    });
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      abortSignal?.removeEventListener('abort', stopWaiting);
      if (code === 0) return resolve();
      const outcome = isTimedOut
        ? `took longer than ${timeoutMs / 1000}s and was killed`
        : code === null
          ? `was killed by ${signal}`
          : `exited with code ${code}`;
      reject(new Error([outcome, lastLine(stderrText, env)].filter(Boolean).join(': ')));
    });
    // A command may exit without reading its stdin.
    child.stdin.on('error', () => {});
    child.stdin.end(input);
  });
}

/** The last line of stderr, with API keys redacted. */
function lastLine(stderrText: string, env: CommandHost['env']): string {
  const secrets = new Secrets();
  for (const name of KEY_VARIABLES) secrets.add(env[name]?.trim() ?? '');
  const line = secrets.redact(stderrText.trim()).split('\n').at(-1) ?? '';
  return sanitizeForTerminal(line.slice(-MAX_REPORTED_CHARACTERS));
}
