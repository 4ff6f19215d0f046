import { type RunFailure, toRunFailure } from '../../events/run-failure.js';
import type { OutputScreen } from '../arguments/command.js';
import { textColumns } from './text/screen.js';
import { wrapLines } from './text/wrap.js';

/** Prints why a command failed, as one line that a terminal's width may wrap. */
export function printFailure(thrown: unknown, screen: OutputScreen): RunFailure {
  const failure = toRunFailure(thrown);
  screen.write(wrapLines(`tickhaul: ${failure.error.message}\n`, textColumns(screen)));
  return failure;
}
