import { describeFailure, type Failure, stackOf } from '../../run/failure.js';
import type { Screen } from '../arguments/types.js';
import { textColumns } from './text/screen.js';
import { wrapLines } from './text/wrap.js';

/**
 * Says why a command failed, in the one line that every failed command prints; a terminal's width may break it.
 * @param stack whether a bug's stack is printed too (`--verbose`).
 */
export function tellFailure(thrown: unknown, screen: Screen, stack: boolean): Failure {
  const failure = describeFailure(thrown);
  screen.write(wrapLines(`tickhaul: ${failure.error.message}\n`, textColumns(screen)));
  const text = stackOf(thrown);
  if (stack && text !== undefined) screen.write(`${text}\n`);
  return failure;
}
