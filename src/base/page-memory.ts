/** ES2024, and Node 20; the types are those of ES2023. */
type Growable = new (bytes: number, options: { readonly maxByteLength: number }) => SharedArrayBuffer;

/**
 * Zero-filled memory in separate pages, which threads may share. It goes back to the system when it is collected: what
 * many small buffers had stays with the process, in pieces between others that are still in use.
 */
export function pageMemory(bytes: number): Uint8Array {
  // Node takes pages for a buffer that may grow, and else a piece of the allocator's heap.
  const memory = new (SharedArrayBuffer as Growable)(bytes, { maxByteLength: bytes });
  return new Uint8Array(memory, 0, bytes);
}
