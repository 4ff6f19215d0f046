import type { GzipContent } from './gzip-content.js';

/** Caches generated contents, so that repeated requests are cheap. Evicts the least recently used. */
export class ContentCache {
  readonly #entries = new Map<string, Promise<GzipContent>>();
  #bytes = 0;

  /** @param maxBytes bytes of memory; contents on disk count as 0. */
  constructor(readonly maxBytes: number) {}

  /** Returns the content of a key, and creates it if necessary. Concurrent calls create it once. */
  async get(key: string, create: () => Promise<GzipContent>): Promise<GzipContent> {
    const cached = this.#entries.get(key);
    if (cached) {
      this.#entries.delete(key);
      this.#entries.set(key, cached);
      return cached;
    }
    const created = create();
    this.#entries.set(key, created);
    try {
      this.#bytes += (await created).memoryBytes;
    } catch (error) {
      this.#entries.delete(key);
      throw error;
    }
    await this.#evict(key);
    return created;
  }

  async #evict(newest: string): Promise<void> {
    for (const [key, entry] of this.#entries) {
      if (this.#bytes <= this.maxBytes) return;
      if (key === newest) continue;
      const { memoryBytes } = await entry;
      if (memoryBytes > 0 && this.#entries.delete(key)) this.#bytes -= memoryBytes;
    }
  }
}
