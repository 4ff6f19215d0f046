/** Takes lines; resolves when they are written, so that whoever writes can wait for a slow reader. */
export interface LineSink {
  write(bytes: Uint8Array): Promise<void>;
}

/** What was written so far; counted up. */
export interface Written {
  messages: number;
  bytes: number;
}
