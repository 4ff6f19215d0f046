import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { TickhaulError } from './errors.js';

/**
 * The part of the WebAssembly JavaScript Interface (https://www.w3.org/TR/wasm-js-api-2/) that the kernels
 * use.
 */
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
  /** Changes with `grow`; earlier shared buffers stay valid. */
  readonly buffer: SharedArrayBuffer;
  /** Grows by a number of pages. @throws RangeError beyond the maximum. */
  grow(pages: number): number;
}

/** Memory of one thread. */
export interface OwnWasmMemory {
  /** Changes when the memory grows; earlier buffers become empty. */
  readonly buffer: ArrayBuffer;
  /** Grows by a number of pages; usually the module itself grows it. @throws RangeError beyond the maximum. */
  grow(pages: number): number;
}

/** A variable that a module exports. */
export interface WasmVariable {
  readonly value: number;
}

/** Page size of WebAssembly memory. */
export const WASM_PAGE_BYTES = 65_536;

/** Maximum of a kernel's shared memory, 1 GiB; the module declares the same (scripts/build-kernel.js). */
const MAX_SHARED_PAGES = 16_384;

/** `node --jitless` has none. */
function hasWebAssembly(): boolean {
  return typeof WebAssembly !== 'undefined';
}

/**
 * Starts a kernel that has a substitute.
 * @returns undefined if this process cannot run it: there is no WebAssembly, no SIMD, or no address space for its
 * memory.
 */
export function startIfSupported<T>(start: () => T): T | undefined {
  try {
    return start();
  } catch (error) {
    // V8 has a RangeError of other words, too.
    if (error instanceof TickhaulError || error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Creates memory of at least `bytes` bytes that threads share. @throws TickhaulError `usage`. */
export function createSharedMemory(bytes: number): WasmMemory {
  if (!hasWebAssembly()) throw toCompileError('no WebAssembly');
  const initial = Math.ceil(bytes / WASM_PAGE_BYTES);
  return withAddressSpace(() => new WebAssembly.Memory({ initial, maximum: MAX_SHARED_PAGES, shared: true }));
}

/** Maximum of one thread's memory: a page less than 4 GiB, the maximum length of a typed array. */
const MAX_OWN_PAGES = 65_535;

/**
 * Creates memory of one thread, of at least `bytes` bytes; the module grows it.
 * @param maximum in pages; without traps, V8 reserves address space for all of them.
 * @throws TickhaulError `usage`, `disk`.
 */
export function createOwnMemory(bytes = WASM_PAGE_BYTES, maximum = MAX_OWN_PAGES): OwnWasmMemory {
  if (!hasWebAssembly()) throw toCompileError('no WebAssembly');
  const initial = Math.ceil(bytes / WASM_PAGE_BYTES);
  return withAddressSpace(() => new WebAssembly.Memory({ initial, maximum }));
}

const compilations = new Map<string, Promise<WasmModule>>();

/** Instantiates a module in the given memory; it is compiled once per thread. `Exports` is not checked. */
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

/**
 * Like `instantiate`, but synchronous, for small modules.
 * @param imports functions that the module may call.
 */
export function instantiateSync<Exports>(
  url: URL,
  memory: OwnWasmMemory | WasmMemory,
  imports: object = {},
): Exports {
  const module = compiledModules.get(url.href) ?? compileSync(readFileSync(url));
  compiledModules.set(url.href, module);
  const instantiateModule = () => new WebAssembly.Instance(module, { env: { memory, ...imports } });
  return withAddressSpace(instantiateModule).exports as Exports;
}

function compileSync(bytes: Uint8Array): WasmModule {
  try {
    return new WebAssembly.Module(bytes);
  } catch (error) {
    throw toCompileError(error);
  }
}

/** @throws TickhaulError `disk` if the address space is too small. */
function withAddressSpace<T>(allocate: () => T): T {
  try {
    return allocate();
  } catch (error) {
    throw toAddressSpaceError(error) ?? error;
  }
}

/**
 * The error of a memory for which the limit of the address space leaves no room; undefined for other errors. V8 reserves
 * 8 GiB or more for each memory, unless its traps are disabled. Packages run WebAssembly too.
 */
export function toAddressSpaceError(error: unknown): TickhaulError | undefined {
  if (!(error instanceof Error) || !/WebAssembly\.\w+\(\).*(?:allocate|memory)/i.test(error.message))
    return undefined;
  const message =
    'WebAssembly gets no memory, probably because the address space is limited (ulimit -v); raise that limit, or set NODE_OPTIONS=--disable-wasm-trap-handler, which needs less';
  return new TickhaulError('disk', message, { cause: error });
}

function toCompileError(error: unknown): TickhaulError {
  const why = error instanceof Error ? error.message : String(error);
  const message = `this Node cannot run WebAssembly with SIMD, which conversions and replays need (${why}); run it without --jitless, on x64 or ARM64`;
  return new TickhaulError('usage', message);
}
