import type { GzipContent } from './gzip-content.js';

/** Keeps what was made, so that serving a path again is cheap; the longest unused goes first. */
export class ContentCache {
  readonly #entries = new Map<string, Promise<GzipContent>>();
  #held = 0;

  /** @param maxBytes bytes of memory; contents on disk count as nothing. */
  constructor(readonly maxBytes: number) {}

  /** The content kept under the key, made where it is not there; never made twice at once. */
  async get(key: string, make: () => Promise<GzipContent>): Promise<GzipContent> {
    const kept = this.#entries.get(key);
    if (kept) {
      this.#entries.delete(key);
      this.#entries.set(key, kept);
      return kept;
    }
    const made = make();
    this.#entries.set(key, made);
    try {
      this.#held += (await made).memoryBytes;
    } catch (error) {
      this.#entries.delete(key);
      throw error;
    }
    await this.#evict(key);
    return made;
  }

  async #evict(newest: string): Promise<void> {
    for (const [key, entry] of this.#entries) {
      if (this.#held <= this.maxBytes) return;
      if (key === newest) continue;
      const { memoryBytes } = await entry;
      if (memoryBytes > 0 && this.#entries.delete(key)) this.#held -= memoryBytes;
    }
  }
}
