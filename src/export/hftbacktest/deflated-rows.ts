import type { ByteSink } from '../../format/output-format.js';
import type { SpillFile } from '../job-memory.js';

/** Rows in memory: those of most days, so that they need no file. */
const MEMORY_BYTES = 64 * 1_048_576;
/** Bytes that are copied from the file at once. */
const COPY_BYTES = 1_048_576;

/** Deflated rows in their order: the first ones in memory, those beyond in a spill file. */
export class DeflatedRows {
  readonly #createSpill: () => Promise<SpillFile>;
  readonly #memoryBytes: number;
  readonly #parts: Uint8Array[] = [];
  #partBytes = 0;
  #spill: SpillFile | undefined;

  /** @param createSpill creates the file, if it is needed. */
  constructor(createSpill: () => Promise<SpillFile>, memoryBytes = MEMORY_BYTES) {
    this.#createSpill = createSpill;
    this.#memoryBytes = memoryBytes;
  }

  get bytes(): number {
    return this.#partBytes + (this.#spill?.bytes ?? 0);
  }

  /** Adds bytes, which must not change. Calls must not overlap. @throws TickhaulError `disk`. */
  async add(bytes: Uint8Array): Promise<void> {
    if (!this.#spill && this.#partBytes + bytes.length <= this.#memoryBytes) {
      this.#parts.push(bytes);
      this.#partBytes += bytes.length;
      return;
    }
    this.#spill ??= await this.#createSpill();
    await this.#spill.write(bytes);
  }

  /** Writes all bytes. Call it after the last `add`. @throws TickhaulError `disk`; errors of the output. */
  async writeTo(out: ByteSink): Promise<void> {
    for (const part of this.#parts) await out.write(part);
    if (!this.#spill) return;
    for (let at = 0; at < this.#spill.bytes; at += COPY_BYTES) {
      const part = Buffer.allocUnsafe(Math.min(COPY_BYTES, this.#spill.bytes - at));
      await this.#spill.read(part, at);
      await out.write(part);
    }
  }
}
