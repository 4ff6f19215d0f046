import { ReaderClosedError } from '../../base/output-sink.js';

/** Writes lines. Resolves when they are written, so that the writer can wait for a slow reader. */
export interface LineSink {
  write(bytes: Uint8Array): Promise<void>;
}

/** Totals of the written messages and bytes. */
export interface WrittenCounts {
  messages: number;
  bytes: number;
}

const LF = 0x0a;

/**
 * Writes complete lines and counts them after the output has accepted them. If a pipe's reader closes it, the
 * lines that the pipe accepted are counted. An empty line, which marks a disconnect, is not a message.
 * @throws errors of the output.
 */
export async function writeLines(
  output: LineSink,
  bytes: Uint8Array,
  messages: number,
  written: WrittenCounts,
): Promise<void> {
  try {
    await output.write(bytes);
    written.messages += messages;
    written.bytes += bytes.length;
  } catch (error) {
    if (error instanceof ReaderClosedError) countLines(bytes.subarray(0, error.bytes), written);
    throw error;
  }
}

function countLines(bytes: Uint8Array, written: WrittenCounts): void {
  let start = 0;
  for (let end = bytes.indexOf(LF); end !== -1; end = bytes.indexOf(LF, start)) {
    if (end > start) written.messages++;
    start = end + 1;
  }
  written.bytes += start;
}
