import { abortReason } from '../../base/errors.js';
import { PART_SIZE } from './part-size.js';

/** Bytes that the parts of all uploads of one store may take: one part for each of 24, or two for 12. */
export const UPLOAD_MEMORY = 24 * PART_SIZE;

interface Waiting {
  readonly bytes: number;
  readonly take: (buffer: Buffer) => void;
}

/**
 * The memory in which parts wait for their way to the store. Whoever holds one part can always go on, since it is free
 * again when the store has it; a second one, to be filled meanwhile, is there as long as memory is.
 */
export class PartMemory {
  readonly #limit: number;
  readonly #spare: Buffer[] = [];
  readonly #waiting: Waiting[] = [];
  #taken = 0;

  constructor(limit: number = UPLOAD_MEMORY) {
    this.#limit = limit;
  }

  /** Waits until there is room; one part fits always. @throws the reason of an abort. */
  take(bytes: number, signal?: AbortSignal): Promise<Buffer> {
    if (signal?.aborted) return Promise.reject(abortReason(signal));
    const buffer = this.#waiting.length === 0 ? this.takeNow(bytes) : undefined;
    if (buffer) return Promise.resolve(buffer);
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        if (signal) reject(abortReason(signal));
        this.#serve();
      };
      const waiting: Waiting = {
        bytes,
        take: (found) => {
          signal?.removeEventListener('abort', leave);
          resolve(found);
        },
      };
      this.#waiting.push(waiting);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }

  /** Undefined where there is no room now. */
  takeNow(bytes: number): Buffer | undefined {
    if (this.#taken > 0 && this.#taken + bytes > this.#limit) return undefined;
    this.#taken += bytes;
    // Memory that is used again needs not be asked of the system, and cleared by it, for each part.
    return (bytes === PART_SIZE ? this.#spare.pop() : undefined) ?? Buffer.allocUnsafeSlow(bytes);
  }

  give(buffer: Buffer): void {
    this.#taken -= buffer.length;
    if (buffer.length === PART_SIZE) this.#spare.push(buffer);
    this.#serve();
  }

  #serve(): void {
    for (let first = this.#waiting[0]; first; first = this.#waiting[0]) {
      const buffer = this.takeNow(first.bytes);
      if (!buffer) return;
      this.#waiting.shift();
      first.take(buffer);
    }
  }
}
