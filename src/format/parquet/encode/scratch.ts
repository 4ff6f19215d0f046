import { ScratchRegion } from '../../kernel/scratch-region.js';
import type { EncodeMemory } from './encode-memory.js';

/** Buffers for encoding a column, reused for the next one. */
export class Scratch {
  /** Body of a page or of a dictionary. */
  readonly body: ScratchRegion;
  /** A 32-bit integer per value: its position in a dictionary, or the length of its shared prefix. */
  readonly indices: ScratchRegion;
  /** Hash tables. */
  readonly slots: ScratchRegion;
  /** Values of a dictionary, or the positions of their first occurrence. */
  readonly distinct: ScratchRegion;
  /** Texts of a dictionary, their offsets, and the lengths of the texts of a page. */
  readonly texts: ScratchRegion;
  readonly offsets: ScratchRegion;
  readonly lengths: ScratchRegion;
  /** Definition levels of a page. */
  readonly levels: ScratchRegion;

  constructor(memory: EncodeMemory) {
    this.body = new ScratchRegion(memory);
    this.indices = new ScratchRegion(memory);
    this.slots = new ScratchRegion(memory);
    this.distinct = new ScratchRegion(memory);
    this.texts = new ScratchRegion(memory);
    this.offsets = new ScratchRegion(memory);
    this.lengths = new ScratchRegion(memory);
    this.levels = new ScratchRegion(memory);
  }
}
