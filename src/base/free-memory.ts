import { MessageChannel, type MessagePort } from 'node:worker_threads';

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
