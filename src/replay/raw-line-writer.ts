import { createOwnMemory, instantiateSync, WASM_PAGE_BYTES } from '../base/wasm.js';
import type { LineSink, WrittenCounts } from '../market/lines/line-buffer.js';
import { MESSAGE_START, type RawBatch, TIMESTAMP_BYTES } from '../raw-feeds/raw-batch.js';
import { LineWriter, WRITE_BYTES } from './line-writer.js';

/** Formats and writes lines of the raw feeds API. */
export interface RawSink {
  /**
   * Adds lines `start` (inclusive) to `end` (exclusive) of a batch. @param part index of the part with these
   * lines.
   */
  add(batch: RawBatch, start: number, end: number, part: number): Promise<void>;
  /** Adds a disconnect of the collector. */
  addDisconnect(): Promise<void>;
  /** Writes what is collected so far: no lines follow for a while, or at all. */
  flush(): Promise<void>;
}

const LF = 0x0a;
/** The text before the local timestamp, between it and the message, and after the message. */
const LINE_HEAD = Buffer.from('{"localTimestamp":"');
const LINE_MIDDLE = Buffer.from('","message":');
const LINE_END = Buffer.from('}\n');

/** Bytes that formatting adds to a source line, which is counted without its LF. */
const ADDED_BYTES = LINE_HEAD.length + TIMESTAMP_BYTES + LINE_MIDDLE.length - MESSAGE_START + LINE_END.length;

/**
 * Collects lines of the raw feeds API as `{"localTimestamp":"…","message":…}`, where the message keeps its
 * bytes.
 */
export class RawLineWriter implements RawSink {
  readonly #lines: LineWriter;

  /** @param size bytes of one write; 512 KB by default. */
  constructor(output: LineSink, written: WrittenCounts, size?: number) {
    this.#lines = new LineWriter(output, written, size);
  }

  async add(batch: RawBatch, start: number, end: number): Promise<void> {
    for (let line = start; line < end; ) {
      const until = this.#findFittingEnd(batch, line, end);
      if (until > line) this.#copyLines(batch, line, until);
      else if (this.#lines.length > 0) await this.flush();
      else await this.#writeLongLine(batch, line++);
      line = Math.max(line, until);
    }
  }

  /** Adds the empty line that marks a disconnect. */
  async addDisconnect(): Promise<void> {
    const lines = this.#lines;
    if (!lines.fits(1)) await lines.flush();
    lines.bytes[lines.length] = LF;
    lines.add(1, 0);
  }

  flush(): Promise<void> {
    return this.#lines.flush();
  }

  /** Returns the index after the last line that fits into the rest of the write. */
  #findFittingEnd({ starts, ends }: RawBatch, start: number, end: number): number {
    const from = starts[start] as number;
    let size = 0;
    let line = start;
    for (; line < end; line++) {
      const to = ends[line] as number;
      size += to - (starts[line] as number) + ADDED_BYTES;
      if (!this.#lines.fits(size) || to - from > this.#lines.bytes.length) break;
    }
    return line;
  }

  #copyLines(batch: RawBatch, start: number, end: number): void {
    const { bytes, length } = this.#lines;
    this.#lines.add(writeRawLines(batch, start, end, bytes, length) - length, end - start);
  }

  /** Writes a line that is longer than a whole write. */
  async #writeLongLine({ text, starts, ends }: RawBatch, line: number): Promise<void> {
    const source = text.subarray(starts[line], ends[line]);
    const timestamp = source.subarray(0, TIMESTAMP_BYTES);
    const message = source.subarray(MESSAGE_START);
    await this.#lines.write(Buffer.concat([LINE_HEAD, timestamp, LINE_MIDDLE, message, LINE_END]), 1);
  }
}

/** Exports of assembly/raw-line-kernel.ts, where they are documented. */
interface RawLineModule {
  writeLines(text: number, starts: number, ends: number, count: number, out: number): number;
}

/** Maximum number of lines in a write. */
const MAX_LINES = Math.floor(WRITE_BYTES / (MESSAGE_START + ADDED_BYTES));
/** Bytes after a region that 16-byte loads and stores may touch. */
const SLACK_BYTES = 64;

/** Addresses in the kernel's memory; the kernel has the same two for the texts. */
const HEAD_ADDRESS = 0;
const MIDDLE_ADDRESS = 32;
const STARTS_ADDRESS = WASM_PAGE_BYTES;
const ENDS_ADDRESS = STARTS_ADDRESS + 4 * MAX_LINES;
const TEXT_ADDRESS = ENDS_ADDRESS + 4 * MAX_LINES;
const OUT_ADDRESS = TEXT_ADDRESS + WRITE_BYTES + SLACK_BYTES;
const MEMORY_BYTES = OUT_ADDRESS + WRITE_BYTES + SLACK_BYTES;

/** Created once a thread; it has no state between calls. */
let writeRun: ReturnType<typeof createWriter> | undefined;

/**
 * Writes lines of a batch into `out` from position `at`, each as `{"localTimestamp":"…","message":…}` with
 * the message's bytes unchanged. Neither the source text nor the result may be larger than `WRITE_BYTES`.
 * @returns the position after the last line.
 */
function writeRawLines(batch: RawBatch, start: number, end: number, out: Uint8Array, at: number): number {
  writeRun ??= createWriter();
  return writeRun(batch, start, end, out, at);
}

function createWriter(): typeof writeRawLines {
  const memory = createOwnMemory(MEMORY_BYTES);
  const url = new URL('./raw-line-kernel.wasm', import.meta.url);
  const kernel = instantiateSync<RawLineModule>(url, memory);
  const bytes = new Uint8Array(memory.buffer);
  const positions = new Int32Array(memory.buffer);
  bytes.set(LINE_HEAD, HEAD_ADDRESS);
  bytes.set(LINE_MIDDLE, MIDDLE_ADDRESS);
  return ({ text, starts, ends }, start, end, out, at) => {
    const from = starts[start] as number;
    bytes.set(text.subarray(from, ends[end - 1]), TEXT_ADDRESS);
    positions.set(starts.subarray(start, end), STARTS_ADDRESS / 4);
    positions.set(ends.subarray(start, end), ENDS_ADDRESS / 4);
    const until = kernel.writeLines(
      TEXT_ADDRESS - from,
      STARTS_ADDRESS,
      ENDS_ADDRESS,
      end - start,
      OUT_ADDRESS,
    );
    out.set(bytes.subarray(OUT_ADDRESS, until), at);
    return at + until - OUT_ADDRESS;
  };
}
