import type { ContentResult, RowPlace } from '../run/audited-day.js';
import { type AuditBatch, placeOf } from './audit-batch.js';

/** Counts rows or cells, and remembers the first one. */
export class RowCounter {
  count = 0;
  first: RowPlace | undefined;
  /** Greatest distance; undefined for a check that measures none. */
  maxMicroseconds: number | undefined;

  add(batch: AuditBatch, row: number, count = 1): void {
    this.first ??= placeOf(batch, row);
    this.count += count;
  }

  addDistance(batch: AuditBatch, row: number, microseconds: number): void {
    this.add(batch, row);
    this.maxMicroseconds = Math.max(this.maxMicroseconds ?? 0, microseconds);
  }

  result(): ContentResult {
    const { count, first, maxMicroseconds } = this;
    return { count, ...(first && { first }), ...(maxMicroseconds !== undefined && { maxMicroseconds }) };
  }
}
