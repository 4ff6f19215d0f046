import type { TickhaulError } from '../base/errors.js';

interface PendingFile {
  readonly arrival: Promise<boolean>;
  readonly resolve: (exists: boolean) => void;
  readonly fail: (error: unknown) => void;
}

/** Day files being downloaded, each with a promise for its readers. */
export class FileArrivals {
  readonly #pending: ReadonlyMap<string, PendingFile>;

  constructor(paths: Iterable<string>) {
    this.#pending = new Map([...paths].map((path) => [path, createPendingFile()]));
  }

  has(path: string): boolean {
    return this.#pending.has(path);
  }

  /**
   * Resolves when the download of the file ended: true if the service has the file. @throws why the file is
   * unavailable.
   */
  async wait(path: string): Promise<boolean> {
    return (await this.#pending.get(path)?.arrival) ?? true;
  }

  resolve(path: string, exists: boolean): void {
    this.#pending.get(path)?.resolve(exists);
  }

  fail(path: string, error: TickhaulError): void {
    this.#pending.get(path)?.fail(error);
  }

  /** Fails all files without a result. */
  end(error: unknown): void {
    for (const { fail } of this.#pending.values()) fail(error);
  }
}

function createPendingFile(): PendingFile {
  let resolve = (_exists: boolean): void => {};
  let fail = (_error: unknown): void => {};
  const arrival = new Promise<boolean>((onResolve, onReject) => {
    resolve = onResolve;
    fail = onReject;
  });
  // Avoids an unhandled rejection: the file may never be awaited.
  arrival.catch(() => {});
  return { arrival, resolve, fail };
}
