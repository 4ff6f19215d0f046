import { EventEmitter } from 'node:events';
import type { OutputScreen } from '../../../src/cli/output/text/screen.js';

interface Row {
  text: string;
  /** Whether the row continues the line of the row above. */
  wrapped: boolean;
}

/** A typical terminal: it wraps long lines, scrolls, and reflows lines when its width changes. */
export class Emulator extends EventEmitter implements OutputScreen {
  readonly isTTY = true;
  columns: number;
  rows: number;
  /** Rows that were scrolled off the top. */
  readonly history: string[] = [];
  #grid: Row[] = [{ text: '', wrapped: false }];
  #y = 0;
  #x = 0;
  #saved = { y: 0, x: 0 };

  constructor(columns: number, rows: number) {
    super();
    this.columns = columns;
    this.rows = rows;
  }

  /** The visible rows, without empty ones at the end. */
  get shown(): readonly string[] {
    const shown = this.#grid.map(({ text }) => text.trimEnd());
    while (shown.at(-1) === '') shown.pop();
    return shown;
  }

  write(text: string): boolean {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control sequences of the terminal
    for (const [token] of text.matchAll(/\u001b\[(\d*)[A-Za-z]|\u001b[78]|./gsu)) this.#take(token);
    return true;
  }

  resize(columns: number, rows: number): void {
    const before = this.#grid.slice(0, this.#y + 1).filter(({ wrapped }) => !wrapped).length - 1;
    const lines: string[] = [];
    for (const { text, wrapped } of this.#grid) {
      if (wrapped) lines.push((lines.pop() ?? '') + text);
      else lines.push(text);
    }
    this.columns = columns;
    this.rows = rows;
    this.#grid = [];
    for (const [index, line] of lines.entries()) {
      if (index === before) this.#y = this.#grid.length;
      for (let from = 0; from === 0 || from < line.length; from += columns) {
        this.#grid.push({ text: line.slice(from, from + columns), wrapped: from > 0 });
      }
    }
    // The line of the cursor stays on the screen, and lines below it are removed first.
    this.#grid.length = Math.min(this.#grid.length, Math.max(this.#y + 1, rows));
    while (this.#grid.length > rows) this.#scroll();
    this.emit('resize');
  }

  #take(token: string): void {
    const count = Number(/\d+/.exec(token)?.[0] ?? 1);
    if (token === '\n') this.#down(false);
    else if (token === '\r') this.#x = 0;
    else if (token === '\u001b7') this.#saved = { y: this.#y, x: this.#x };
    else if (token === '\u001b8') ({ y: this.#y, x: this.#x } = this.#saved);
    else if (token.endsWith('A') && token.length > 1) this.#y = Math.max(0, this.#y - count);
    else if (token.endsWith('B') && token.length > 1) this.#y = Math.min(this.rows - 1, this.#y + count);
    else if (token === '\u001b[2K') this.#row().text = '';
    else if (token.startsWith('\u001b'))
      throw new Error(`not known to this terminal: ${JSON.stringify(token)}`);
    else this.#put(token);
  }

  #put(character: string): void {
    if (this.#x === this.columns) this.#down(true);
    const row = this.#row();
    row.text = row.text.padEnd(this.#x).slice(0, this.#x) + character + row.text.slice(this.#x + 1);
    this.#x++;
  }

  #down(wrapped: boolean): void {
    this.#x = 0;
    this.#y++;
    if (this.#y === this.rows) this.#scroll();
    this.#row().wrapped = wrapped;
  }

  #scroll(): void {
    this.history.push(this.#grid.shift()?.text ?? '');
    this.#y--;
  }

  #row(): Row {
    while (this.#grid.length <= this.#y) this.#grid.push({ text: '', wrapped: false });
    return this.#grid[this.#y] as Row;
  }
}
