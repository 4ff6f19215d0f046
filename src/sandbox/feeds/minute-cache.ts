import type { FeedLine } from './feed-line.js';

/** Approximate memory of a line besides its text, in characters. */
const LINE_OVERHEAD = 100;

/** Caches the lines of minutes. Evicts the least recently used. */
export class MinuteCache {
  readonly #entries = new Map<string, { readonly lines: readonly FeedLine[]; readonly characters: number }>();
  #characters = 0;

  /** @param maxCharacters capacity in characters. */
  constructor(readonly maxCharacters: number) {}

  get(key: string): readonly FeedLine[] | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.lines;
  }

  set(key: string, lines: readonly FeedLine[]): void {
    this.#delete(key);
    const characters = lines.reduce((sum, { text }) => sum + text.length + LINE_OVERHEAD, LINE_OVERHEAD);
    this.#entries.set(key, { lines, characters });
    this.#characters += characters;
    for (const oldest of this.#entries.keys()) {
      if (this.#characters <= this.maxCharacters) return;
      this.#delete(oldest);
    }
  }

  #delete(key: string): void {
    this.#characters -= this.#entries.get(key)?.characters ?? 0;
    this.#entries.delete(key);
  }
}
