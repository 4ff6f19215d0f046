import type { OutputScreen } from '../../arguments/command.js';
import { screenColumns } from '../text/screen.js';
import { textWidth } from '../text/width.js';

const UP = (rows: number): string => (rows > 0 ? `\u001b[${rows}A` : '');
const DOWN = '\u001b[B';
const SAVE_CURSOR = '\u001b7';
const RESTORE_CURSOR = '\u001b8';
const CLEAR_LINE = '\u001b[2K';

/**
 * Replaces the terminal of cli-progress: each frame is one write that first erases the last frame, whose first line it
 * finds again after the screen became narrower or wider.
 */
export class FrameTerminal {
  readonly #screen: OutputScreen;
  /** Text to print above the next frame; ends with a line break. */
  #above = '';
  /** Lines of the next frame. */
  #lines: string[] = [];
  /** Columns of each line of the last frame. */
  #shown: readonly number[] = [];
  #flushing: NodeJS.Immediate | undefined;

  constructor(screen: OutputScreen) {
    this.#screen = screen;
  }

  /** Starts a frame. */
  cursorRelativeReset(): void {
    this.#lines = [];
  }

  write(text: string, isAbove = false): void {
    if (isAbove) this.#above += text;
    else this.#lines.push(text);
  }

  /**
   * Shows the frame soon. After a stop (Ctrl-Z), timers fire before signal handlers, and `forget` must run
   * first.
   */
  flushSoon(): void {
    this.#flushing ??= setImmediate(() => this.flush());
  }

  /** Shows the frame. The cursor stays at the start of the line, so that typed text does not wrap it. */
  flush(): void {
    clearImmediate(this.#flushing);
    this.#flushing = undefined;
    this.#screen.write(`${this.#wipe()}${this.#above}${this.#lines.join('\n')}\r`);
    this.#above = '';
    this.#shown = this.#lines.map(textWidth);
  }

  /** Leaves the last frame on the screen: other text was printed below it. */
  forget(): void {
    this.#shown = [];
  }

  isTTY(): boolean {
    return true;
  }

  getWidth(): number {
    return screenColumns(this.#screen);
  }

  // Each frame is drawn completely, on erased lines.
  newline(): void {}
  cursorTo(): void {}
  clearLine(): void {}
  clearRight(): void {}
  clearBottom(): void {}

  /**
   * Erases line by line: if a frame starts at the top, some terminals move a cleared screen to their history.
   */
  #wipe(): string {
    const clear = Array(this.#rows(this.#shown)).fill(CLEAR_LINE).join(DOWN);
    return `${UP(this.#rows(this.#shown.slice(0, -1)))}\r${SAVE_CURSOR}${clear}${RESTORE_CURSOR}`;
  }

  /** Rows of the screen that lines take: a narrower terminal wraps them. */
  #rows(widths: readonly number[]): number {
    const columns = this.getWidth();
    return widths.reduce((rows, width) => rows + Math.max(1, Math.ceil(width / columns)), 0);
  }
}
