import { bugStack, type RunFailure, toRunFailure } from '../../run/run-failure.js';
import type { OutputScreen } from '../arguments/command.js';
import { textColumns } from './text/screen.js';
import { wrapLines } from './text/wrap.js';

/**
 * Says why a command failed, in the one line that every failed command prints; a terminal's width may break it.
 * @param stack whether a bug's stack is printed too (`--verbose`).
 */
export function printFailure(thrown: unknown, screen: OutputScreen, stack: boolean): RunFailure {
  const failure = toRunFailure(thrown);
  screen.write(wrapLines(`tickhaul: ${failure.error.message}\n`, textColumns(screen)));
  const text = bugStack(thrown);
  if (stack && text !== undefined) screen.write(`${text}\n`);
  return failure;
}
