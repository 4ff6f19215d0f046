import { formatCount, formatSize, plural } from '../../../base/units.js';
import type { Screen } from '../../arguments/types.js';
import { screenColumns } from '../text/screen.js';
import { wrapPieces } from '../text/wrap.js';
import { FrameTerminal } from './frame-terminal.js';
import { createRate } from './rate.js';

const REDRAW_MS = 200;

/**
 * Shows on a terminal what a replay has written so far, in a line that is drawn anew.
 * @param written counted up by others. @param isFree tells whether nothing else is drawn there.
 * @returns what takes the line off.
 */
export function showWritten(
  screen: Screen,
  written: { readonly messages: number; readonly bytes: number },
  isFree: () => boolean = () => true,
): () => void {
  const terminal = new FrameTerminal(screen);
  const rate = createRate(() => performance.now());
  let seen = 0;
  let isShown = false;
  const draw = (): void => {
    if (written.messages === 0 || !isFree()) return;
    isShown = true;
    rate.add(written.bytes - seen);
    seen = written.bytes;
    const pieces = [
      `${plural(written.messages, 'message', formatCount(written.messages))},`,
      `${formatSize(written.bytes)},`,
      `${formatSize(rate.perSecond())}/s`,
    ];
    terminal.cursorRelativeReset();
    for (const line of wrapPieces(pieces, screenColumns(screen) - 1)) terminal.write(line);
    terminal.flush();
  };
  const forget = (): void => terminal.forget();
  screen.on?.('continue', forget);
  const timer = setInterval(draw, REDRAW_MS);
  return () => {
    clearInterval(timer);
    screen.off?.('continue', forget);
    if (!isShown) return;
    terminal.cursorRelativeReset();
    terminal.flush();
  };
}
