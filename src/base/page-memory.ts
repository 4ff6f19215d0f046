/** ES2024, and Node 20; the types are those of ES2023. */
type Growable<B> = new (bytes: number, options: { readonly maxByteLength: number }) => B;

/**
 * Zero-filled memory in separate pages. It goes back to the system when it is collected: what many small buffers had
 * stays with the process, in pieces between others that are still in use.
 */
export function pageMemory(bytes: number): Uint8Array {
  // Node takes pages for a buffer that may grow, and else a piece of the allocator's heap.
  const memory = new (ArrayBuffer as Growable<ArrayBuffer>)(bytes, { maxByteLength: bytes });
  return new Uint8Array(memory, 0, bytes);
}

/** As `pageMemory`, shared by the threads that it is posted to. A copy of a few bytes into it takes twice as long. */
export function sharedPageMemory(bytes: number): Uint8Array {
  const memory = new (SharedArrayBuffer as Growable<SharedArrayBuffer>)(bytes, { maxByteLength: bytes });
  return new Uint8Array(memory, 0, bytes);
}
