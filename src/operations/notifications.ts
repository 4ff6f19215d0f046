import { spawn } from 'node:child_process';
import { TickhaulError, usageError } from '../base/errors.js';
import { Secrets } from '../base/secrets.js';
import { sanitizeForTerminal } from '../base/text.js';
import { onAbort, startDeadline } from '../base/wait.js';
import { withRetries } from '../base/with-retries.js';
import { toJsonLine, toSummaryJson } from '../events/json-events.js';
import type { RunEvent, RunSummary } from '../events/run-events.js';
import { createFailedSummary, toRunFailure } from '../events/run-failure.js';
import { isTemporaryFailure } from '../http/failed-response.js';
import { discardBody } from '../http/watched-body.js';
import { sendGet } from '../service/send-request.js';
import { createServiceClient } from '../service/service-client.js';
import type { CommandHost } from './command-host.js';
import { KEY_VARIABLES, withoutKeys } from './settings.js';

/** Hooks and ping of a run. */
export interface Notifications {
  /** Shell commands that get the summary on stdin. */
  readonly onSuccess?: string | undefined;
  readonly onFailure?: string | undefined;
  /** Address of a dead man's switch. */
  readonly ping?: URL | undefined;
}

/** Milliseconds to wait for hook and ping after Ctrl-C: the process exits soon after. */
const GRACE_MS = 3000;

/**
 * Runs `work`, and notifies hooks and ping of its result. A failed notification is a warning, and does not change the
 * result. A run that throws counts as failed.
 */
export async function withNotifications(
  notifications: Notifications,
  host: CommandHost,
  emit: (event: RunEvent) => void,
  work: () => Promise<RunSummary>,
): Promise<RunSummary> {
  const startedAtMs = performance.now();
  const warn = (error: unknown): void =>
    emit({ event: 'warning', message: error instanceof Error ? error.message : String(error) });
  const ping = notifications.ping === undefined ? undefined : openPing(notifications.ping, host);
  const graceSignal = signalAfter(host.signal, GRACE_MS);
  const sendPing = async (state: PingState, signal: AbortSignal): Promise<void> =>
    ping?.send(state, signal).catch(warn);
  // An interrupted run is reported only at its end.
  const startPing = sendPing('start', host.signal);
  try {
    const summary = await work().catch(async (error: unknown) => {
      await startPing;
      await notifyEnd(createFailedSummary(toRunFailure(error), startedAtMs));
      throw error;
    });
    await startPing;
    await notifyEnd(summary);
    return summary;
  } finally {
    await ping?.close();
  }

  async function notifyEnd(summary: RunSummary): Promise<void> {
    const isSuccess = summary.exitCode === 0;
    await sendPing(isSuccess ? 'success' : 'fail', graceSignal);
    const [name, command] = isSuccess
      ? ['on-success', notifications.onSuccess]
      : ['on-failure', notifications.onFailure];
    if (command === undefined) return;
    await runHook(command, toJsonLine(toSummaryJson(summary)), host, { signal: graceSignal }).catch(
      (error: Error) => {
        emit({ event: 'warning', message: `${name}: the command ${error.message}` });
      },
    );
  }
}

/** A signal that aborts `ms` milliseconds after another one. */
function signalAfter(signal: AbortSignal, ms: number): AbortSignal {
  const controller = new AbortController();
  onAbort(signal, () => void setTimeout(() => controller.abort(), ms).unref());
  return controller.signal;
}

type PingState = 'start' | 'success' | 'fail';

/** A dead man's switch: a URL that expects regular requests. */
interface Ping {
  /**
   * @param signal aborts the request.
   * @throws TickhaulError that names the host only: the path may be a secret.
   */
  send(state: PingState, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

const PATH_SUFFIX: Readonly<Record<PingState, string>> = { start: '/start', success: '', fail: '/fail' };
/** Milliseconds for all attempts of one ping. */
const PING_TIMEOUT_MS = 10_000;
const MAX_ATTEMPTS = 3;

/** The URL of `--ping`. @throws usage error, without the URL. */
export function parsePing(address: string): URL {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) {
    throw usageError('--ping is not an address; use the form https://host/path');
  }
  return new URL(address);
}

export function openPing(base: URL, { env }: Pick<CommandHost, 'env'>): Ping {
  // No onRequest: a log of requests would contain the URL.
  const client = createServiceClient({
    apiUrl: base.origin,
    datasetsUrl: base.origin,
    stallTimeoutMs: PING_TIMEOUT_MS,
    env,
  });
  const sendOnce = async (url: URL, signal: AbortSignal): Promise<void> => {
    const { status, body } = await sendGet(client, url.href, {}, signal);
    await discardBody(body);
    if (isTemporaryFailure(status)) throw new TickhaulError('server_error', `HTTP ${status}`, { status });
    if (status >= 400) throw new TickhaulError('rejected', `HTTP ${status}`, { status });
  };
  return {
    async send(state, callerSignal) {
      const url = new URL(base);
      url.pathname = url.pathname.replace(/\/*$/, '') + PATH_SUFFIX[state];
      const deadline = startDeadline(PING_TIMEOUT_MS, new TickhaulError('stalled', 'no answer in time'));
      const signal = AbortSignal.any([deadline.signal, callerSignal]);
      try {
        await withRetries(() => sendOnce(url, signal), {
          maxAttempts: MAX_ATTEMPTS,
          maxWaitMs: PING_TIMEOUT_MS,
          signal,
        });
      } catch (error) {
        if (!(error instanceof TickhaulError)) throw error;
        const cause = error.status === undefined ? error.code : `HTTP ${error.status}`;
        throw new TickhaulError(error.code, `ping to ${base.host} failed: ${cause}`, { cause: error });
      } finally {
        deadline.clear();
      }
    },
    close: () => client.close(),
  };
}

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

interface HookOptions {
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
