import type { ChalkInstance } from 'chalk';
import type { FileEvent, RunEvent } from '../../events.js';
import { formatDuration } from '../../units.js';

type EventOf<Name extends RunEvent['event']> = Extract<RunEvent, { readonly event: Name }>;

/** One line about a failed file. */
export function failedLine(event: FileEvent, chalk: ChalkInstance): string {
  const attempts = (event.attempts ?? 0) > 1 ? ` (after ${event.attempts} attempts)` : '';
  const message = event.error?.message ?? 'unknown error';
  const { source = event.path } = event;
  const named =
    message.startsWith(source) || message.startsWith(event.path) ? message : `${source}: ${message}`;
  return `${chalk.red('failed')} ${named}${attempts}\n`;
}

export function warningLine(event: EventOf<'warning'>, chalk: ChalkInstance): string {
  return `${chalk.yellow('warning')} ${event.message}\n`;
}

export function pauseLine(event: EventOf<'pause'>, chalk: ChalkInstance): string {
  return `${chalk.yellow('waiting')} ${formatDuration(event.waitMs)}: ${event.error.message}\n`;
}
