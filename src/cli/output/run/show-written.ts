import { formatCount, formatSize, plural } from '../../../base/units.js';
import type { OutputScreen } from '../../arguments/command.js';
import { screenColumns } from '../text/screen.js';
import { wrapPieces } from '../text/wrap.js';
import { FrameTerminal } from './frame-terminal.js';
import { createTransferRate } from './transfer-rate.js';

const REDRAW_INTERVAL_MS = 200;

/**
 * Shows on a terminal how much a replay has written, in a line that is redrawn.
 * @param written counters, incremented by the replay. @param isFree whether nothing else is drawn there.
 * @returns removes the line.
 */
export function showWritten(
  screen: OutputScreen,
  written: { readonly messages: number; readonly bytes: number },
  isFree: () => boolean = () => true,
): () => void {
  const terminal = new FrameTerminal(screen);
  const rate = createTransferRate(() => performance.now());
  let countedBytes = 0;
  let isShown = false;
  const draw = (): void => {
    if (written.messages === 0 || !isFree()) return;
    isShown = true;
    rate.add(written.bytes - countedBytes);
    countedBytes = written.bytes;
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
  const timer = setInterval(draw, REDRAW_INTERVAL_MS);
  return () => {
    clearInterval(timer);
    screen.off?.('continue', forget);
    if (!isShown) return;
    terminal.cursorRelativeReset();
    terminal.flush();
  };
}
