import type { TickhaulError } from '../base/errors.js';

interface PendingFile {
  readonly there: Promise<boolean>;
  readonly settle: (isThere: boolean) => void;
  readonly fail: (error: unknown) => void;
}

/** Day files that are on their way, each with who waits for it. */
export class FileArrivals {
  readonly #coming: ReadonlyMap<string, PendingFile>;

  constructor(paths: Iterable<string>) {
    this.#coming = new Map([...paths].map((path) => [path, createPendingFile()]));
  }

  /** Whether it is one of them. */
  has(path: string): boolean {
    return this.#coming.has(path);
  }

  /** Whether the service had it, once that is known. @throws why it can't be had. */
  async wait(path: string): Promise<boolean> {
    return (await this.#coming.get(path)?.there) ?? true;
  }

  resolve(path: string, isThere: boolean): void {
    this.#coming.get(path)?.settle(isThere);
  }

  fail(path: string, error: TickhaulError): void {
    this.#coming.get(path)?.fail(error);
  }

  /** None comes any more. */
  end(error: unknown): void {
    for (const { fail } of this.#coming.values()) fail(error);
  }
}

function createPendingFile(): PendingFile {
  let settle = (_isThere: boolean): void => {};
  let fail = (_error: unknown): void => {};
  const there = new Promise<boolean>((resolve, reject) => {
    settle = resolve;
    fail = reject;
  });
  // Nobody may ever ask for it.
  there.catch(() => {});
  return { there, settle, fail };
}
