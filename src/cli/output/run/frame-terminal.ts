import type { OutputScreen } from '../../arguments/command.js';
import { screenColumns } from '../text/screen.js';
import { textWidth } from '../text/width.js';

const UP = (rows: number): string => (rows > 0 ? `\u001b[${rows}A` : '');
const DOWN = '\u001b[B';
const SAVE_CURSOR = '\u001b7';
const RESTORE_CURSOR = '\u001b8';
const CLEAR_LINE = '\u001b[2K';

/**
 * What cli-progress draws on in place of its own terminal: each frame is one write, begins with the last one
 * wiped out, and finds that one's first line again after the screen has become narrower or wider.
 */
export class FrameTerminal {
  readonly #screen: OutputScreen;
  /** Text that is to stay above the next frame; it ends in a line break. */
  #above = '';
  /** Of the next frame. */
  #lines: string[] = [];
  /** Columns that each line of the last frame took. */
  #shown: readonly number[] = [];
  #flushing: NodeJS.Immediate | undefined;

  constructor(screen: OutputScreen) {
    this.#screen = screen;
  }

  /** Begins a frame. */
  cursorRelativeReset(): void {
    this.#lines = [];
  }

  write(text: string, isAbove = false): void {
    if (isAbove) this.#above += text;
    else this.#lines.push(text);
  }

  /** Shows the frame soon. After a stop (Ctrl-Z) timers come before signals, and `forget` has to come first. */
  flushSoon(): void {
    this.#flushing ??= setImmediate(() => this.flush());
  }

  /** Shows the frame. The cursor waits at the line's beginning: what a user types doesn't make it wrap. */
  flush(): void {
    clearImmediate(this.#flushing);
    this.#flushing = undefined;
    this.#screen.write(`${this.#wipe()}${this.#above}${this.#lines.join('\n')}\r`);
    this.#above = '';
    this.#shown = this.#lines.map(textWidth);
  }

  /** Leaves the last frame where it is: something else was printed below it. */
  forget(): void {
    this.#shown = [];
  }

  isTTY(): boolean {
    return true;
  }

  getWidth(): number {
    return screenColumns(this.#screen);
  }

  // Each frame is drawn whole, on lines that were wiped out.
  newline(): void {}
  cursorTo(): void {}
  clearLine(): void {}
  clearRight(): void {}
  clearBottom(): void {}

  /** Line by line: where a frame begins at the top, some terminals scroll a cleared screen into their history. */
  #wipe(): string {
    const clear = Array(this.#rows(this.#shown)).fill(CLEAR_LINE).join(DOWN);
    return `${UP(this.#rows(this.#shown.slice(0, -1)))}\r${SAVE_CURSOR}${clear}${RESTORE_CURSOR}`;
  }

  /** Rows of the screen: a terminal that has become narrower breaks a line into several. */
  #rows(widths: readonly number[]): number {
    const columns = this.getWidth();
    return widths.reduce((rows, width) => rows + Math.max(1, Math.ceil(width / columns)), 0);
  }
}
