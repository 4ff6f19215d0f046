import { randomUUID } from 'node:crypto';
import { open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeAll } from '../base/disk-files.js';
import { TickhaulError, toDiskError } from '../base/errors.js';
import type { PartFile } from '../store/files.js';

/** A temporary file for what does not fit in memory. */
export interface SpillFile {
  /** Bytes so far. */
  readonly bytes: number;
  /**
   * Appends bytes, which may be reused when it resolves. Other calls may be in progress.
   * @returns their position. @throws TickhaulError `disk`.
   */
  write(bytes: Uint8Array): Promise<number>;
  /** Fills `target` with the bytes from a position on. @throws TickhaulError `disk`. */
  read(target: Uint8Array, position: number): Promise<void>;
  close(): Promise<void>;
}

/**
 * Opens a spill file in the folder for temporary files (`TMPDIR`). Its name is removed at once, so that the system frees
 * it even if the process is killed.
 * @throws TickhaulError `disk`.
 */
export async function openSpillFile(): Promise<SpillFile> {
  const path = join(tmpdir(), `tickhaul-export-${randomUUID()}`);
  const toError = (error: unknown): unknown => toDiskError(error, path, 'disk');
  const handle = await open(path, 'wx+', 0o600).catch((error: unknown) => {
    throw toError(error);
  });
  await unlink(path).catch(() => undefined);
  let bytes = 0;
  return {
    get bytes() {
      return bytes;
    },
    async write(chunk) {
      const position = bytes;
      bytes += chunk.length;
      await writeAll(handle, chunk, position, path);
      return position;
    },
    async read(target, position) {
      for (let done = 0; done < target.length; ) {
        const { bytesRead } = await handle
          .read(target, done, target.length - done, position + done)
          .catch((error: unknown) => {
            throw toError(error);
          });
        if (bytesRead === 0)
          throw new TickhaulError('disk', `${path}: ends before byte ${position + target.length}`);
        done += bytesRead;
      }
    },
    async close() {
      await handle.close();
      // On a system that keeps the names of open files.
      await unlink(path).catch(() => undefined);
    },
  };
}

/** An object that waits in a spill file, which others may share, until it is published: an upload takes memory. */
export class SpooledPart implements PartFile {
  readonly #spill: SpillFile;
  readonly #open: (location: string, bytes: number) => Promise<PartFile>;
  readonly #pieces: { readonly at: number; readonly bytes: number }[] = [];
  #upload: PartFile | undefined;

  /** @param open begins the upload of a number of bytes. */
  constructor(spill: SpillFile, open: (location: string, bytes: number) => Promise<PartFile>) {
    this.#spill = spill;
    this.#open = open;
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#pieces.push({ at: await this.#spill.write(bytes), bytes: bytes.length });
  }

  async publish(location: string): ReturnType<PartFile['publish']> {
    this.#upload = await this.#open(
      location,
      this.#pieces.reduce((sum, { bytes }) => sum + bytes, 0),
    );
    for (const { at, bytes } of this.#pieces) {
      const piece = new Uint8Array(bytes);
      await this.#spill.read(piece, at);
      await this.#upload.write(piece);
    }
    return this.#upload.publish();
  }

  async discard(): Promise<void> {
    await this.#upload?.discard();
  }
}
