import { randomUUID } from 'node:crypto';
import { open, unlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readAll, writeAll } from '../base/disk-files.js';
import { TickhaulError, toDiskError } from '../base/errors.js';
import { createOwnMemory, instantiateSync, type OwnWasmMemory } from '../base/wasm.js';
import { ScratchRegion } from '../format/columns/column-memory.js';
import type { PartFile } from '../store/files.js';

/** Memory of a kernel, with buffers that are used again and again. */
export class ExportKernelMemory<Kernel extends { allocate(bytes: bigint): number }> {
  readonly kernel: Kernel;
  readonly #memory: OwnWasmMemory = createOwnMemory();
  readonly #content: string;
  #bytes = Buffer.alloc(0) as Buffer<ArrayBuffer>;
  readonly #buffers = new Map<string, ScratchRegion>();

  /** @param url of the kernel. @param content what the memory holds, for an error: "rows". */
  constructor(url: URL, content: string) {
    this.kernel = instantiateSync<Kernel>(url, this.#memory);
    this.#content = content;
  }

  /** The whole memory; becomes invalid when the memory grows. */
  get bytes(): Buffer<ArrayBuffer> {
    const { buffer } = this.#memory;
    if (this.#bytes.buffer !== buffer) this.#bytes = Buffer.from(buffer);
    return this.#bytes;
  }

  /** Allocates a region. @throws TickhaulError `usage` if 4 GiB are not enough. */
  allocate(bytes: number): number {
    const at = this.kernel.allocate(BigInt(bytes)) >>> 0;
    if (at > 0) return at;
    throw new TickhaulError('usage', `the ${this.#content} of the export do not fit into 4 GiB of memory`);
  }

  /** Address of a buffer of at least `bytes` bytes. Its content is lost when it is requested with more bytes. */
  buffer(name: string, bytes: number): number {
    const region = this.#buffers.get(name) ?? new ScratchRegion(this);
    this.#buffers.set(name, region);
    return region.at(bytes);
  }

  /** Copies values into a buffer; returns its address. */
  load(name: string, values: ArrayBufferView): number {
    const at = this.buffer(name, values.byteLength);
    this.bytes.set(new Uint8Array(values.buffer, values.byteOffset, values.byteLength), at);
    return at;
  }
}

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
  const handle = await open(path, 'wx+', 0o600).catch((error: unknown) => {
    throw toDiskError(error, path, 'disk');
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
      if (!(await readAll(handle, target, position, path)))
        throw new TickhaulError('disk', `${path}: ends before byte ${position + target.length}`);
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
