import type { RowPlace } from '../run/audited-day.js';
import { type AuditBatch, placeOf } from './audit-batch.js';

/** Counts rows or cells, and remembers the first one. */
export class RowCounter {
  count = 0;
  first: RowPlace | undefined;

  add(batch: AuditBatch, row: number, count = 1): void {
    this.first ??= placeOf(batch, row);
    this.count += count;
  }

  /** The fields of a result. */
  result(): { readonly count: number; readonly first?: RowPlace } {
    return { count: this.count, ...(this.first && { first: this.first }) };
  }
}
