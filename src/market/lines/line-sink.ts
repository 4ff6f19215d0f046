import { ReaderGone } from '../../base/output-sink.js';

/** Takes lines; resolves when they are written, so that whoever writes can wait for a slow reader. */
export interface LineSink {
  write(bytes: Uint8Array): Promise<void>;
}

/** What was written so far; counted up. */
export interface Written {
  messages: number;
  bytes: number;
}

const LF = 0x0a;

/**
 * Writes whole lines, and counts them once the output has taken them: of a pipe whose reader leaves, those that went into
 * the pipe before. An empty line, which stands for a break, is no message.
 * @throws what the output throws.
 */
export async function writeLines(
  output: LineSink,
  bytes: Uint8Array,
  messages: number,
  written: Written,
): Promise<void> {
  try {
    await output.write(bytes);
    written.messages += messages;
    written.bytes += bytes.length;
  } catch (error) {
    if (error instanceof ReaderGone) countLines(bytes.subarray(0, error.bytes), written);
    throw error;
  }
}

function countLines(bytes: Uint8Array, written: Written): void {
  let start = 0;
  for (let end = bytes.indexOf(LF); end !== -1; end = bytes.indexOf(LF, start)) {
    if (end > start) written.messages++;
    start = end + 1;
  }
  written.bytes += start;
}
