import { setImmediate as nextTurn } from 'node:timers/promises';
import { abortReason } from '../../../base/errors.js';
import type { OutputScreen } from './screen.js';

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
