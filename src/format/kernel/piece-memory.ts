import {
  createSharedMemory,
  instantiate,
  WASM_PAGE_BYTES,
  type WasmMemory,
  type WasmVariable,
} from './wasm.js';

/** The longest row, in bytes, and so what a piece holds. Real rows have some hundreds. */
export const PIECE_BYTES = 1024 * 1024;

/** Room behind a piece: for an LF that the last row lacks. */
const PIECE_GAP_BYTES = 64;

/** What the scanner has for itself, in bytes. */
const SCANNER_BYTES = 16_384;

/** What assembly/row-scanner.ts exports. */
interface ScannerExports {
  scan(from: number, to: number, most: number): number;
  readonly rows: WasmVariable;
  readonly end: WasmVariable;
}

/** What stands in a part of a piece. */
export interface ScanResult {
  readonly rows: number;
  /** Behind the last of these rows; 0 for none. */
  readonly end: number;
  /** Whether a quote comes before any further row. */
  readonly quoted: boolean;
}

/** Some text of a file, cut anywhere, in memory that other threads see. */
export interface Piece {
  /** Where it is in the memory. */
  readonly at: number;
  /** `PIECE` bytes and some more. */
  readonly bytes: Buffer;
  /** Looks for rows without a quote, `most` at most. */
  scan(from: number, to: number, most: number): ScanResult;
}

/** Memory for pieces, used again and again: what was freed last is taken first, as the processor has it at hand. */
export class PieceMemory {
  readonly memory: WasmMemory;
  readonly #scanner: ScannerExports;
  readonly #free: Piece[] = [];
  /** Where the next piece would begin. */
  #top = SCANNER_BYTES;

  private constructor(memory: WasmMemory, scanner: ScannerExports) {
    this.memory = memory;
    this.#scanner = scanner;
  }

  /** @throws TickhaulError `usage` where Node can't run WebAssembly. */
  static async create(count: number): Promise<PieceMemory> {
    const memory = createSharedMemory(SCANNER_BYTES + count * (PIECE_BYTES + PIECE_GAP_BYTES));
    const scanner = await instantiate<ScannerExports>(new URL('./row-scanner.wasm', import.meta.url), memory);
    const pieces = new PieceMemory(memory, scanner);
    for (let i = 0; i < count; i++) pieces.#add();
    return pieces;
  }

  /** Adds a piece. Throws a RangeError past 1 GiB. */
  grow(): void {
    const missing = this.#top + PIECE_BYTES + PIECE_GAP_BYTES - this.memory.buffer.byteLength;
    if (missing > 0) this.memory.grow(Math.ceil(missing / WASM_PAGE_BYTES));
    this.#add();
  }

  /** Undefined where none is free. */
  take(): Piece | undefined {
    return this.#free.pop();
  }

  free(piece: Piece): void {
    this.#free.push(piece);
  }

  #add(): void {
    const scanner = this.#scanner;
    const at = this.#top;
    this.#top += PIECE_BYTES + PIECE_GAP_BYTES;
    this.#free.push({
      at,
      bytes: Buffer.from(this.memory.buffer, at, PIECE_BYTES + PIECE_GAP_BYTES),
      scan(from, to, most) {
        const stopped = scanner.scan(at + from, at + to, most);
        const rows = scanner.rows.value;
        return {
          rows,
          end: rows > 0 ? scanner.end.value - at : 0,
          quoted: rows < most && stopped < at + to,
        };
      },
    });
  }
}
