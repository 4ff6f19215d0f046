/** Supported by Node 20, but not by the types of ES2023. */
type Growable<B> = new (bytes: number, options: { readonly maxByteLength: number }) => B;

/**
 * Zero-filled memory in separate pages, which are returned to the system when the buffer is collected. Memory of
 * ordinary small buffers stays with the process, between others that are still in use.
 */
export function pageMemory(bytes: number): Uint8Array {
  // Node allocates pages for a growable buffer, and part of its heap for other buffers.
  const memory = new (ArrayBuffer as Growable<ArrayBuffer>)(bytes, { maxByteLength: bytes });
  return new Uint8Array(memory, 0, bytes);
}

/** Like `pageMemory`, but shared with the threads it is posted to. Copying small pieces into it takes twice as long. */
export function sharedPageMemory(bytes: number): Uint8Array {
  const memory = new (SharedArrayBuffer as Growable<SharedArrayBuffer>)(bytes, { maxByteLength: bytes });
  return new Uint8Array(memory, 0, bytes);
}
