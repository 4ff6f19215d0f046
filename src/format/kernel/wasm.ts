import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { TickhaulError } from '../../base/errors.js';

/** Of the WebAssembly JavaScript Interface (https://www.w3.org/TR/wasm-js-api-2/), what the kernels need. */
declare const WebAssembly: {
  compile(bytes: Uint8Array): Promise<WasmModule>;
  instantiate(module: WasmModule, imports: object): Promise<{ readonly exports: unknown }>;
  readonly Module: new (bytes: Uint8Array) => WasmModule;
  readonly Instance: new (module: WasmModule, imports: object) => { readonly exports: unknown };
  readonly Memory: {
    new (limits: { initial: number; maximum: number; shared: true }): WasmMemory;
    new (limits: { initial: number; maximum: number }): OwnWasmMemory;
  };
};

type WasmModule = object;

export interface WasmMemory {
  /** Another one after `grow`; shared memory stays good in those before, too. */
  readonly buffer: SharedArrayBuffer;
  /** By so many pages; throws a RangeError past the maximum. */
  grow(pages: number): number;
}

/** Memory of one thread alone. */
export interface OwnWasmMemory {
  /** Another one after the memory grew, which leaves those before empty. */
  readonly buffer: ArrayBuffer;
}

/** A variable that a module exports. */
export interface WasmVariable {
  readonly value: number;
}

/** The page of a WebAssembly memory, in bytes. */
export const WASM_PAGE_BYTES = 65_536;

/** The most that a kernel's memory may grow to, in pages: 1 GiB, as its module says (scripts/build-kernel.js). */
const MAX_SHARED_PAGES = 16_384;

/** Memory of at least so many bytes, that other threads may read. */
export function createSharedMemory(bytes: number): WasmMemory {
  return new WebAssembly.Memory({
    initial: Math.ceil(bytes / WASM_PAGE_BYTES),
    maximum: MAX_SHARED_PAGES,
    shared: true,
  });
}

/** The most that memory of one thread may grow to: a page less than 4 GiB, which is as long as a typed array gets. */
const MAX_OWN_PAGES = 65_535;

/** Memory of this thread alone, of at least so many bytes; the module itself makes it larger. */
export function createOwnMemory(bytes = WASM_PAGE_BYTES): OwnWasmMemory {
  return new WebAssembly.Memory({ initial: Math.ceil(bytes / WASM_PAGE_BYTES), maximum: MAX_OWN_PAGES });
}

const compilations = new Map<string, Promise<WasmModule>>();

/** Runs a module, compiled once a thread, in the given memory. `ScannerExports` is what it is known to export. */
export async function instantiate<Exports>(url: URL, memory: WasmMemory): Promise<Exports> {
  const module = compilations.get(url.href) ?? readFile(url).then(compile);
  compilations.set(url.href, module);
  const { exports } = await WebAssembly.instantiate(await module, { env: { memory } });
  return exports as Exports;
}

async function compile(bytes: Uint8Array): Promise<WasmModule> {
  try {
    return await WebAssembly.compile(bytes);
  } catch (error) {
    throw toCompileError(error);
  }
}

const compiledModules = new Map<string, WasmModule>();

/** The same at once, for a small module and for who can't wait. `imports` are functions that it may call. */
export function instantiateSync<Exports>(url: URL, memory: OwnWasmMemory, imports: object = {}): Exports {
  const module = compiledModules.get(url.href) ?? compileSync(readFileSync(url));
  compiledModules.set(url.href, module);
  return new WebAssembly.Instance(module, { env: { memory, ...imports } }).exports as Exports;
}

function compileSync(bytes: Uint8Array): WasmModule {
  try {
    return new WebAssembly.Module(bytes);
  } catch (error) {
    throw toCompileError(error);
  }
}

function toCompileError(error: unknown): TickhaulError {
  const why = error instanceof Error ? error.message : String(error);
  const message = `this Node can't run WebAssembly with SIMD, which conversions and replays need (${why}); run it without --jitless, on x64 or ARM64`;
  return new TickhaulError('usage', message);
}
