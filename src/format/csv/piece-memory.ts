import {
  createSharedMemory,
  instantiate,
  WASM_PAGE_BYTES,
  type WasmMemory,
  type WasmVariable,
} from '../../base/wasm.js';

/** Maximum length of a row, and so of a piece. Real rows have a few hundred bytes. */
export const PIECE_BYTES = 1024 * 1024;

/** Space after a piece, for an LF that the last row lacks. */
const PIECE_GAP_BYTES = 64;

/** Memory that the scanner uses for itself. */
const SCANNER_BYTES = 16_384;

/** Exports of ../assembly/row-scanner.ts. */
interface ScannerExports {
  scan(from: number, to: number, maxRows: number): number;
  readonly rows: WasmVariable;
  readonly end: WasmVariable;
}

/** Content of a part of a piece. */
export interface ScanResult {
  readonly rows: number;
  /** Position after the last of these rows; 0 if there are none. */
  readonly end: number;
  /** Whether a quote precedes any further row. */
  readonly quoted: boolean;
}

/** A chunk of a file's text, in memory that is shared with other threads. */
export interface Piece {
  /** Address in the memory. */
  readonly at: number;
  /** `PIECE_BYTES` bytes and the gap. */
  readonly bytes: Buffer;
  /** Finds at most `maxRows` rows, up to the first quote. */
  scan(from: number, to: number, maxRows: number): ScanResult;
}

/** Pool of pieces. The piece freed last is acquired first, as it is most likely in the processor's cache. */
export class PieceMemory {
  readonly memory: WasmMemory;
  readonly #scanner: ScannerExports;
  readonly #free: Piece[] = [];
  /** Address of the next piece. */
  #top = SCANNER_BYTES;

  private constructor(memory: WasmMemory, scanner: ScannerExports) {
    this.memory = memory;
    this.#scanner = scanner;
  }

  /** @throws TickhaulError `usage` if Node cannot run WebAssembly. */
  static async create(count: number): Promise<PieceMemory> {
    const memory = createSharedMemory(SCANNER_BYTES + count * (PIECE_BYTES + PIECE_GAP_BYTES));
    const scanner = await instantiate<ScannerExports>(new URL('./row-scanner.wasm', import.meta.url), memory);
    const pieces = new PieceMemory(memory, scanner);
    for (let i = 0; i < count; i++) pieces.#addPiece();
    return pieces;
  }

  /** Adds a piece. @throws RangeError beyond 1 GiB. */
  grow(): void {
    const missing = this.#top + PIECE_BYTES + PIECE_GAP_BYTES - this.memory.buffer.byteLength;
    if (missing > 0) this.memory.grow(Math.ceil(missing / WASM_PAGE_BYTES));
    this.#addPiece();
  }

  /** Undefined if no piece is free. */
  acquire(): Piece | undefined {
    return this.#free.pop();
  }

  free(piece: Piece): void {
    this.#free.push(piece);
  }

  #addPiece(): void {
    const scanner = this.#scanner;
    const at = this.#top;
    this.#top += PIECE_BYTES + PIECE_GAP_BYTES;
    this.#free.push({
      at,
      bytes: Buffer.from(this.memory.buffer, at, PIECE_BYTES + PIECE_GAP_BYTES),
      scan(from, to, maxRows) {
        const stoppedAt = scanner.scan(at + from, at + to, maxRows);
        const rows = scanner.rows.value;
        return {
          rows,
          end: rows > 0 ? scanner.end.value - at : 0,
          quoted: rows < maxRows && stoppedAt < at + to,
        };
      },
    });
  }
}
