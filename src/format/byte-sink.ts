/** Where a file's bytes go, one piece after the other. */
export interface ByteSink {
  write(bytes: Uint8Array): Promise<void>;
}

/** Keeps all in memory. */
export function createMemorySink(): ByteSink & { readonly bytes: () => Uint8Array } {
  const parts: Uint8Array[] = [];
  return {
    async write(bytes) {
      parts.push(bytes.slice());
    },
    bytes: () => Buffer.concat(parts),
  };
}
