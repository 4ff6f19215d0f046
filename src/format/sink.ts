/** Where a file's bytes go, one piece after the other. */
export interface Sink {
  write(bytes: Uint8Array): Promise<void>;
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
