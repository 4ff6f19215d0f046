import { MessageChannel, type MessagePort } from 'node:worker_threads';

/** For fewer bytes, the call of `fill` takes longer than the copy. */
const MIN_BYTES_TO_FILL = 128;

/**
 * Copies bytes to position `at` of `target`; the two must not overlap. For shared memory, V8's `set` and `copy`
 * go byte by byte unless both are aligned, which takes ten times as long.
 */
export function copyBytes(source: Uint8Array, target: Buffer, at: number): void {
  if (source.length < MIN_BYTES_TO_FILL) target.set(source, at);
  // A fill with a value that is as long as its range.
  else target.fill(source, at, at + source.length);
}

/** Concatenates all chunks. @throws whatever the iteration throws. */
export async function collectBytes(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const collected: Buffer[] = [];
  for await (const chunk of chunks) collected.push(chunk);
  return Buffer.concat(collected);
}

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

/** A closed port. It drops messages, and frees the memory that is transferred with them. */
let closedPort: MessagePort | undefined;

/**
 * Frees the memory of buffers without a garbage collection. They, and all other views of their memory, are empty
 * afterwards. Memory that Node shares between small buffers is not freed.
 */
export function freeMemory(buffers: readonly Buffer[]): void {
  const memories = new Set(buffers.map(({ buffer }) => buffer as ArrayBuffer));
  closedPort ??= createClosedPort();
  closedPort.postMessage(
    undefined,
    [...memories].filter(({ byteLength }) => byteLength > Buffer.poolSize),
  );
}

function createClosedPort(): MessagePort {
  const { port1 } = new MessageChannel();
  port1.close();
  return port1;
}
