import type { ColumnMemory } from '../kernel/column-memory.js';
import { DayFileReader } from './day-file-reader.js';

/** Looks at the beginning of a day file's text: its header and its first row. */
export interface StartCheck {
  /** Takes the next text. @throws TickhaulError `corrupt`. */
  push(text: Buffer): void;
  /** The text is at its end. Throws as `push` does. */
  end(): void;
}

/** Checks of one thread follow each other, and share memories of one row. */
const memories = new Map<string, ColumnMemory>();

/**
 * Checks that text begins as a day file of a type does. No text at all is a day without rows.
 * @param path for messages.
 */
export function createStartCheck(path: string, dataType: string): StartCheck {
  const reader = new DayFileReader({ path, dataType, batchRows: () => 1, numberText: false, memories });
  let isDone = false;
  return {
    push(text) {
      if (!isDone) isDone = hasRow(reader.push(text));
    },
    end() {
      if (!isDone) hasRow(reader.end());
    },
  };
}

/** Parses no further than to the first row. */
function hasRow(batches: Iterable<unknown>): boolean {
  for (const _ of batches) return true;
  return false;
}
