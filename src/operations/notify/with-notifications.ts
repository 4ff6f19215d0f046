import { onAbort } from '../../base/wait.js';
import { toJsonLine, toSummaryJson } from '../../events/json-events.js';
import type { RunEvent, RunSummary } from '../../events/run-events.js';
import { createFailedSummary, toRunFailure } from '../../events/run-failure.js';
import type { CommandHost } from '../command-host.js';
import { openPing, type PingState } from './ping.js';
import { runHook } from './run-hook.js';

/** Hooks and ping of a run. */
export interface Notifications {
  /** Shell commands that get the summary on stdin. */
  readonly onSuccess?: string | undefined;
  readonly onFailure?: string | undefined;
  /** URL of a dead man's switch. */
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
