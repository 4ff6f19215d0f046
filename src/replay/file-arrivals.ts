import type { TickhaulError } from '../base/errors.js';

interface PendingFile {
  readonly there: Promise<boolean>;
  readonly settle: (isThere: boolean) => void;
  readonly fail: (error: unknown) => void;
}

/** Day files being downloaded, each with a promise for its readers. */
export class FileArrivals {
  readonly #coming: ReadonlyMap<string, PendingFile>;

  constructor(paths: Iterable<string>) {
    this.#coming = new Map([...paths].map((path) => [path, createPendingFile()]));
  }

  has(path: string): boolean {
    return this.#coming.has(path);
  }

  /**
   * Resolves when the download of the file ended: true if the service has the file. @throws why the file is
   * unavailable.
   */
  async wait(path: string): Promise<boolean> {
    return (await this.#coming.get(path)?.there) ?? true;
  }

  resolve(path: string, isThere: boolean): void {
    this.#coming.get(path)?.settle(isThere);
  }

  fail(path: string, error: TickhaulError): void {
    this.#coming.get(path)?.fail(error);
  }

  /** Fails all files without a result. */
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
  // Avoids an unhandled rejection: the file may never be awaited.
  there.catch(() => {});
  return { there, settle, fail };
}
