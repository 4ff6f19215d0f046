import { TickhaulError } from '../base/errors.js';
import { createOwnMemory, instantiateSync, type OwnWasmMemory } from '../base/wasm.js';
import { ScratchRegion } from '../format/kernel/column-memory.js';

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
