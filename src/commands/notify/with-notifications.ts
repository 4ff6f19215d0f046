import { onAbort } from '../../base/wait.js';
import { toJsonLine, toSummaryJson } from '../../run/json-events.js';
import type { RunEvent, RunSummary } from '../../run/run-events.js';
import { createFailedSummary, toRunFailure } from '../../run/run-failure.js';
import type { CommandHost } from '../command-host.js';
import { openPing, type PingState } from './ping.js';
import { runHook } from './run-hook.js';

/** Who wants to know how a run went. */
export interface Notifications {
  /** Shell commands that get the summary on stdin. */
  readonly onSuccess?: string | undefined;
  readonly onFailure?: string | undefined;
  /** Address of a dead man's switch. */
  readonly ping?: URL | undefined;
}

/** Milliseconds after Ctrl-C for which those who are told are waited for: soon after, the process leaves. */
const GRACE_MS = 3000;

/**
 * Does a run and tells those who want to know. What goes wrong with that is a warning, and changes nothing of the
 * run. A run that throws has failed as any other.
 */
export async function withNotifications(
  notifications: Notifications,
  host: CommandHost,
  emit: (event: RunEvent) => void,
  work: () => Promise<RunSummary>,
): Promise<RunSummary> {
  const began = performance.now();
  const warn = (error: unknown): void =>
    emit({ event: 'warning', message: error instanceof Error ? error.message : String(error) });
  const ping = notifications.ping === undefined ? undefined : openPing(notifications.ping, host);
  const hurry = signalAfter(host.signal, GRACE_MS);
  const tell = async (state: PingState, signal: AbortSignal): Promise<void> =>
    ping?.send(state, signal).catch(warn);
  // A run that is broken off is told of at its end.
  const started = tell('start', host.signal);
  try {
    const summary = await work().catch(async (error: unknown) => {
      await started;
      await tellEnd(createFailedSummary(toRunFailure(error), began));
      throw error;
    });
    await started;
    await tellEnd(summary);
    return summary;
  } finally {
    await ping?.close();
  }

  async function tellEnd(summary: RunSummary): Promise<void> {
    const isGood = summary.exitCode === 0;
    await tell(isGood ? 'success' : 'fail', hurry);
    const [name, command] = isGood
      ? ['on-success', notifications.onSuccess]
      : ['on-failure', notifications.onFailure];
    if (command === undefined) return;
    await runHook(command, toJsonLine(toSummaryJson(summary)), host, { signal: hurry }).catch(
      (error: Error) => {
        emit({ event: 'warning', message: `${name}: the command ${error.message}` });
      },
    );
  }
}

/** Aborted so many milliseconds after another signal is. */
function signalAfter(signal: AbortSignal, ms: number): AbortSignal {
  const later = new AbortController();
  onAbort(signal, () => void setTimeout(() => later.abort(), ms).unref());
  return later.signal;
}
