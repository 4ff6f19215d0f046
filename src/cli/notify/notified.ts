import type { RunEvent, RunSummary } from '../../events.js';
import { describeFailure, failedSummary } from '../output/failure.js';
import { summaryLine } from '../output/json.js';
import type { Cli } from '../types.js';
import { runHook } from './hook.js';
import { openPing, type PingState } from './ping.js';

/** Who wants to know how a run went. */
export interface Notifications {
  /** Shell commands that get the summary on stdin. */
  readonly onSuccess?: string | undefined;
  readonly onFailure?: string | undefined;
  /** Address of a dead man's switch. */
  readonly ping?: string | undefined;
}

/**
 * Does a run and tells those who want to know. What goes wrong with that is a warning, and changes nothing of the
 * run. A run that throws has failed as any other.
 */
export async function notified(
  notifications: Notifications,
  cli: Cli,
  emit: (event: RunEvent) => void,
  work: () => Promise<RunSummary>,
): Promise<RunSummary> {
  const warn = (error: unknown): void =>
    emit({ event: 'warning', message: error instanceof Error ? error.message : String(error) });
  const ping = notifications.ping === undefined ? undefined : openPing(notifications.ping, 'ping', cli);
  const tell = async (state: PingState): Promise<void> => ping?.send(state).catch(warn);
  const started = tell('start');
  try {
    const summary = await work().catch(async (error: unknown) => {
      await started;
      await tellEnd(failedSummary(describeFailure(error)));
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
    await tell(isGood ? 'success' : 'fail');
    const [name, command] = isGood
      ? ['on-success', notifications.onSuccess]
      : ['on-failure', notifications.onFailure];
    if (command === undefined) return;
    await runHook(command, summaryLine(summary), cli).catch((error: Error) => {
      emit({ event: 'warning', message: `${name}: the command ${error.message}` });
    });
  }
}
