import type { OutputScreen } from '../../arguments/command.js';

/** Columns of the screen; 80 if it reports none. */
export function screenColumns({ columns }: OutputScreen): number {
  return columns || 80;
}

/** Columns available for text; infinite without a terminal, where nothing is wrapped or shortened. */
export function textColumns(screen: OutputScreen): number {
  return screen.isTTY === true ? screenColumns(screen) : Number.POSITIVE_INFINITY;
}
