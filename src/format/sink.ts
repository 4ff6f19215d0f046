import type { FileHandle } from 'node:fs/promises';

/** Where a file's bytes go, one piece after the other. */
export interface Sink {
  write(bytes: Uint8Array): Promise<void>;
}

/** Writes at the handle's position; the caller opens and closes it. Throws the system's errors (ENOSPC …) as they are. */
export function fileSink(handle: FileHandle): Sink {
  return {
    async write(bytes) {
      for (let at = 0; at < bytes.length; ) at += (await handle.write(bytes, at)).bytesWritten;
    },
  };
}

/** Keeps all in memory. */
export function memorySink(): Sink & { readonly bytes: () => Uint8Array } {
  const parts: Uint8Array[] = [];
  return {
    async write(bytes) {
      parts.push(bytes.slice());
    },
    bytes: () => Buffer.concat(parts),
  };
}
