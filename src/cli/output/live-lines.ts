import { type OutputScreen, screenColumns } from './text/screen.js';
import { textWidth, wrapLines } from './text/width.js';

const UP = (rows: number): string => (rows > 0 ? `\u001b[${rows}A` : '');
const DOWN = (rows: number): string => (rows > 0 ? `\u001b[${rows}B` : '');
const SAVE_CURSOR = '\u001b7';
const RESTORE_CURSOR = '\u001b8';
const CLEAR_LINE = '\u001b[2K';

const REDRAW_INTERVAL_MS = 200;
/** Redraws until all lines are written again, since the user may have typed below them. */
const REDRAWS_PER_WHOLE_FRAME = 25;

/**
 * Lines at the end of a terminal that are drawn again while they change. A redraw writes only the lines that have changed,
 * or all of them after other text or a resize: one write, which first erases the old lines, whose first one it finds
 * again after the screen became narrower or wider.
 */
export class LiveLines {
  readonly #screen: OutputScreen;
  readonly #draw: () => readonly string[] | undefined;
  /** Text to print above the next frame; ends with a line break. */
  #above = '';
  /** Lines of the last frame, and the columns of the screen at that time; 0 after a resize. */
  #shown: readonly string[] = [];
  #columns = 0;
  #redraws = 0;
  #timer: NodeJS.Timeout | undefined;
  #redrawing: NodeJS.Immediate | undefined;

  /** @param draw returns the current lines; undefined to leave the screen as it is. */
  constructor(screen: OutputScreen, draw: () => readonly string[] | undefined) {
    this.#screen = screen;
    this.#draw = draw;
  }

  /** Draws from now on. */
  open(): void {
    if (this.#timer) return;
    this.#timer = setInterval(this.#redrawSoon, REDRAW_INTERVAL_MS);
    this.#screen.on?.('resize', this.#redrawAll);
    this.#screen.on?.('continue', this.#forget);
  }

  /** Prints text above the lines, with the next redraw if there are any. */
  print(text: string): void {
    const lines = wrapLines(text, screenColumns(this.#screen));
    if (this.#timer === undefined) this.#screen.write(lines);
    else this.#above += lines;
  }

  /** Erases the lines. */
  close(): void {
    if (!this.#timer) return;
    clearInterval(this.#timer);
    clearImmediate(this.#redrawing);
    this.#timer = undefined;
    this.#redrawing = undefined;
    this.#screen.off?.('resize', this.#redrawAll);
    this.#screen.off?.('continue', this.#forget);
    this.#show([]);
  }

  /** After a stop (Ctrl-Z), timers fire before signal handlers, and `#forget` must run first. */
  readonly #redrawSoon = (): void => {
    this.#redrawing ??= setImmediate(() => {
      this.#redrawing = undefined;
      const lines = this.#draw() ?? (this.#above === '' ? undefined : this.#shown);
      if (lines) this.#show(lines);
    });
  };

  readonly #redrawAll = (): void => {
    this.#columns = 0;
    this.#redrawSoon();
  };

  /** Leaves the last frame on the screen: other text was printed below it. */
  readonly #forget = (): void => {
    this.#shown = [];
    this.#redrawSoon();
  };

  /** The cursor stays at the start of the last line, so that typed text does not wrap it. */
  #show(lines: readonly string[]): void {
    const columns = screenColumns(this.#screen);
    const isSameFrame =
      this.#above === '' && columns === this.#columns && lines.length === this.#shown.length;
    const isOneRowEach = [...lines, ...this.#shown].every((line) => textWidth(line) < columns);
    const isPatch = isSameFrame && isOneRowEach && ++this.#redraws % REDRAWS_PER_WHOLE_FRAME !== 0;
    const text = isPatch
      ? this.#formatChanges(lines)
      : `${this.#above}${lines.join('\n')}` || this.#shown.length > 0
        ? `${this.#wipe()}${this.#above}${lines.join('\n')}\r`
        : '';
    if (text !== '') this.#screen.write(text);
    this.#above = '';
    this.#shown = lines;
    this.#columns = columns;
  }

  #formatChanges(lines: readonly string[]): string {
    const last = lines.length - 1;
    let row = last;
    let text = '';
    for (const [at, line] of lines.entries()) {
      if (line === this.#shown[at]) continue;
      text += `${UP(row - at)}${DOWN(at - row)}\r${CLEAR_LINE}${line}\r`;
      row = at;
    }
    return text + DOWN(last - row);
  }

  /**
   * Erases line by line: if a frame starts at the top, some terminals move a cleared screen to their history.
   */
  #wipe(): string {
    const clear = Array(this.#rows(this.#shown)).fill(CLEAR_LINE).join(DOWN(1));
    return `${UP(this.#rows(this.#shown.slice(0, -1)))}\r${SAVE_CURSOR}${clear}${RESTORE_CURSOR}`;
  }

  /** Rows of the screen that lines take: a narrower terminal wraps them. */
  #rows(lines: readonly string[]): number {
    const columns = screenColumns(this.#screen);
    return lines.reduce((rows, line) => rows + Math.max(1, Math.ceil(textWidth(line) / columns)), 0);
  }
}
