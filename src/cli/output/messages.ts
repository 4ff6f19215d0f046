import type { ChalkInstance } from 'chalk';
import { printable } from '../../base/printable.js';
import { formatDuration, plural } from '../../base/units.js';
import type { FileEvent, FindingKind, RunEvent } from '../../run/events.js';
import type { Screen } from '../arguments/types.js';
import { textColumns } from './text/screen.js';
import { wrapLines } from './text/wrap.js';

type EventOf<Name extends RunEvent['event']> = Extract<RunEvent, { readonly event: Name }>;

/** One line about a file that failed, or was found to be bad. */
export function failedLine(event: FileEvent, chalk: ChalkInstance): string {
  const attempts = (event.attempts ?? 0) > 1 ? ` (after ${event.attempts} attempts)` : '';
  const message = event.error?.message ?? 'unknown error';
  const { source = event.path } = event;
  const named =
    message.startsWith(source) || message.startsWith(event.path) ? message : `${source}: ${message}`;
  return `${chalk.red(event.status)} ${printable(named)}${attempts}\n`;
}

export function warningLine(event: EventOf<'warning'>, chalk: ChalkInstance): string {
  return `${chalk.yellow('warning')} ${printable(event.message)}\n`;
}

/** Warnings of what is no event of a run. */
export function warnerOf(stderr: Screen): (message: string) => void {
  return (message) => void stderr.write(wrapLines(`warning ${printable(message)}\n`, textColumns(stderr)));
}

export function noteLine(event: EventOf<'note'>): string {
  return `${printable(event.message)}\n`;
}

/** Lines of one kind; a folder may be full of them, and the summary counts. */
const SHOWN = 20;

/** Lines about findings, the first of each kind; the empty text for the rest. */
export function createFindingLines(chalk: ChalkInstance): (event: EventOf<'finding'>) => string {
  const told: Partial<Record<FindingKind, number>> = {};
  return ({ kind, message }) => {
    const count = (told[kind] ?? 0) + 1;
    told[kind] = count;
    if (count > SHOWN + 1) return '';
    const text = count > SHOWN ? 'and more; --json tells of all' : message;
    return `${chalk.yellow(kind)} ${printable(text)}\n`;
  };
}

export function pauseLine(event: EventOf<'pause'>, chalk: ChalkInstance): string {
  return `${chalk.yellow('waiting')} ${formatDuration(event.waitMs)}: ${printable(event.error.message)}\n`;
}

/** What is said of conversions that an upgrade has left behind. */
export function outdatedText(count: number): string {
  return `${plural(count, 'outdated conversion')}, made with other columns or rules than this version's: run the convert, download --convert or sync again that made them`;
}
