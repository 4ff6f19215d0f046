/** Destination of a file's bytes, written in order. */
export interface ByteSink {
  write(bytes: Uint8Array): Promise<void>;
}

/** Collects all bytes in memory. */
export function createMemorySink(): ByteSink & { readonly bytes: () => Uint8Array } {
  const parts: Uint8Array[] = [];
  return {
    async write(bytes) {
      parts.push(bytes.slice());
    },
    bytes: () => Buffer.concat(parts),
  };
}
