import type { ColumnMemory } from '../kernel/column-memory.js';
import { DayFileReader } from './day-file-reader.js';

/** Checks the beginning of a day file's text: its header and its first row. */
export interface StartCheck {
  /** Takes the next text. @throws TickhaulError `corrupt`. */
  push(text: Buffer): void;
  /** Ends the text. Throws as `push` does. */
  end(): void;
}

/** Memories for one row. The checks of a thread run one after the other, and share them. */
const memories = new Map<string, ColumnMemory>();

/**
 * Checks that text begins like a day file of a data type. An empty text is a day without rows.
 * @param path for messages.
 */
export function createStartCheck(path: string, dataType: string): StartCheck {
  const reader = new DayFileReader({ path, dataType, batchRows: () => 1, numberText: 'none', memories });
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

/** Parses only up to the first row. */
function hasRow(batches: Iterable<unknown>): boolean {
  for (const _ of batches) return true;
  return false;
}
