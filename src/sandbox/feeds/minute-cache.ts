import type { FeedLine } from './feed-line.js';

/** What a line takes beside its text, in characters, about. */
const LINE_OVERHEAD = 100;

/** Keeps the lines of minutes; those that were asked for least recently go first. */
export class MinuteCache {
  readonly #entries = new Map<string, { readonly lines: readonly FeedLine[]; readonly held: number }>();
  #held = 0;

  /** @param maxHeld characters. */
  constructor(readonly maxHeld: number) {}

  get(key: string): readonly FeedLine[] | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.lines;
  }

  set(key: string, lines: readonly FeedLine[]): void {
    this.#delete(key);
    const held = lines.reduce((sum, { text }) => sum + text.length + LINE_OVERHEAD, LINE_OVERHEAD);
    this.#entries.set(key, { lines, held });
    this.#held += held;
    for (const oldest of this.#entries.keys()) {
      if (this.#held <= this.maxHeld) return;
      this.#delete(oldest);
    }
  }

  #delete(key: string): void {
    this.#held -= this.#entries.get(key)?.held ?? 0;
    this.#entries.delete(key);
  }
}
