import { setImmediate as nextTurn } from 'node:timers/promises';
import { abortReason } from '../../../base/errors.js';

/** A text output: stdout, stderr, or a sink of a test. */
export interface OutputScreen {
  /** Returns false if the caller should wait for `drain` before writing more. */
  write(text: string): unknown;
  once?(event: 'drain', listener: () => void): unknown;
  /**
   * `resize`: the size has changed. `continue`: the process was resumed after a stop (Ctrl-Z), and the shell
   * has printed lines.
   */
  on?(event: 'resize' | 'continue', listener: () => void): unknown;
  off?(event: 'resize' | 'continue', listener: () => void): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
}

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
  const isFull = screen.write(text) === false;
  if (isFull && screen.once) await new Promise<void>((resolve) => screen.once?.('drain', resolve));
  else await nextTurn();
}

/**
 * Formats a JSON value of the service or a file, in one line or indented. Control characters and invisible ones are
 * escaped for terminals; the value is unchanged.
 */
export function formatDocument(value: unknown, indented: boolean): string {
  const json = JSON.stringify(value, null, indented ? 2 : undefined);
  return `${json.replace(/[^\P{C}\n]/gu, escapeCharacter)}\n`;
}

/** Escapes a character as JSON does: each UTF-16 unit by its number. */
function escapeCharacter(character: string): string {
  const units = character.split('');
  return units.map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
}
