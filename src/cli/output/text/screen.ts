import { setImmediate as nextTurn } from 'node:timers/promises';
import { abortReason } from '../../../base/errors.js';

/** A text output: stdout, stderr, or a sink of a test. */
export interface OutputScreen {
  /** Returns false if the caller should wait for `drain` before writing more. */
  write(text: string): unknown;
  on?(event: ScreenEvent, listener: () => void): unknown;
  off?(event: ScreenEvent, listener: () => void): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
}

/**
 * `resize`: the size has changed. `continue`: the process was resumed after a stop (Ctrl-Z), and the shell has printed
 * lines. `close`: the reader has left.
 */
type ScreenEvent = 'drain' | 'close' | 'resize' | 'continue';

/** Columns of the screen; 80 if it reports none. */
export function screenColumns({ columns }: OutputScreen): number {
  return columns || 80;
}

/** Columns available for text; infinite without a terminal, where nothing is wrapped or shortened. */
export function textColumns(screen: OutputScreen): number {
  return screen.isTTY === true ? screenColumns(screen) : Number.POSITIVE_INFINITY;
}

const BLOCK_CHARACTERS = 64 * 1024;

/**
 * Prints lines in large blocks, at the reader's pace; signals and closed pipes are handled in between.
 * @throws the reason of the abort.
 */
export async function printLines(
  screen: OutputScreen,
  lines: Iterable<string>,
  signal: AbortSignal,
): Promise<void> {
  let block = '';
  for (const line of lines) {
    block += line;
    if (block.length < BLOCK_CHARACTERS) continue;
    await print(screen, block);
    block = '';
    if (signal.aborted) throw abortReason(signal);
  }
  await print(screen, block);
}

async function print(screen: OutputScreen, text: string): Promise<void> {
  if (screen.write(text) !== false || !screen.on) return nextTurn();
  await new Promise<void>((resolve) => {
    const goOn = (): void => {
      for (const event of ['drain', 'close'] as const) screen.off?.(event, goOn);
      resolve();
    };
    for (const event of ['drain', 'close'] as const) screen.on?.(event, goOn);
  });
}
