import { readFileSync } from 'node:fs';

/** Of the WebAssembly JavaScript Interface (https://www.w3.org/TR/wasm-js-api-2/), what is used here. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown };
};

/** What assembly/inflate.ts exports. */
interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly INPUT: { readonly value: number };
  readonly INPUT_ROOM: { readonly value: number };
  readonly TEXT: { readonly value: number };
  readonly TEXT_ROOM: { readonly value: number };
  start(): void;
  feed(length: number): void;
  beginChunk(length: number): void;
  chunkLength(): number;
  used(): number;
  run(): number;
}

/** Why the kernel stopped; `run` answers the index. */
const STOPS = ['full', 'used', 'ended', 'refused'] as const;
export type Stop = (typeof STOPS)[number];

/** The DEFLATE kernel, and all that is known of its memory. Synchronous; for one file at a time. */
export class InflateKernel {
  readonly #wasm: Exports;
  readonly #input: Buffer;
  readonly #text: Buffer;

  constructor(wasm: Exports) {
    const { INPUT, INPUT_ROOM, TEXT, TEXT_ROOM } = wasm;
    this.#wasm = wasm;
    this.#input = Buffer.from(wasm.memory.buffer, INPUT.value, INPUT_ROOM.value);
    this.#text = Buffer.from(wasm.memory.buffer, TEXT.value, TEXT_ROOM.value);
  }

  /** A new DEFLATE stream begins, whose text stands behind what the chunk has already. */
  start(): void {
    this.#wasm.start();
  }

  /** Begins a chunk of text, of so many bytes at most. Those of the last one are gone. */
  beginChunk(size: number): void {
    if (size < 1 || size > this.#text.length) throw new RangeError(`a chunk of ${size} bytes has no room`);
    this.#wasm.beginChunk(size);
  }

  /** Takes as much of the compressed bytes as there is room for. What it took before must be used up. */
  feed(bytes: Uint8Array): void {
    const piece = bytes.subarray(0, this.#input.length);
    this.#input.set(piece);
    this.#wasm.feed(piece.length);
  }

  /** Goes on until the chunk is full, the input is used, the stream has ended, or can't be one. */
  run(): Stop {
    return STOPS[this.#wasm.run()] ?? 'refused';
  }

  /** How many of the bytes that were fed belong to the stream. */
  get used(): number {
    return this.#wasm.used();
  }

  /** The chunk so far. It is in the kernel's memory, and good until the next `beginChunk`. */
  get text(): Buffer {
    return this.#text.subarray(0, this.#wasm.chunkLength());
  }
}

let bytes: Uint8Array | undefined;
let compiled: object | undefined;
/** A kernel has a megabyte of memory, whose pages are there after its first file. */
const idle: InflateKernel[] = [];
/** A thread reads some files at once and several hundred in a replay: those of such a rush aren't kept. */
const MOST_IDLE = 4;

/** @returns undefined where this Node runs no WebAssembly with SIMD. */
export function takeKernel(): InflateKernel | undefined {
  const kernel = idle.pop();
  if (kernel) return kernel;
  // A package that lacks the file is a bug: only what this Node makes of it is left to zlib.
  bytes ??= readFileSync(new URL('./inflate.wasm', import.meta.url));
  try {
    compiled ??= new WebAssembly.Module(bytes);
    return new InflateKernel(new WebAssembly.Instance(compiled, {}).exports as Exports);
  } catch {
    return undefined;
  }
}

/** Gives a kernel back that nobody uses any more. */
export function giveKernelBack(kernel: InflateKernel): void {
  if (idle.length < MOST_IDLE) idle.push(kernel);
}
