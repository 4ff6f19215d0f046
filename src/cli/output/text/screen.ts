import type { OutputScreen } from '../../arguments/command.js';

/** A terminal that doesn't tell its size says 0. */
export function screenColumns({ columns }: OutputScreen): number {
  return columns || 80;
}

/** Columns that a text is to fit; infinite elsewhere than on a terminal, where nothing is wrapped or shortened. */
export function textColumns(screen: OutputScreen): number {
  return screen.isTTY === true ? screenColumns(screen) : Number.POSITIVE_INFINITY;
}
