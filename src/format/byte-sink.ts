/** Destination of a file's bytes, written in order. */
export interface ByteSink {
  write(bytes: Uint8Array): Promise<void>;
}
