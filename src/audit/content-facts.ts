import type { FileContentFacts } from '../run/audited-day.js';
import type { AuditBatch } from './audit-batch.js';
import { LatencyHistogram } from './shared/latency-histogram.js';

/** Collects the facts about a file's content that are no checks. */
export class ContentFactsCounter {
  readonly #latencies = new LatencyHistogram();
  #first: number | null = null;
  #last: number | null = null;

  push({ rows, timestamps, localTimestamps }: AuditBatch): void {
    const latencies = this.#latencies;
    for (let row = 0; row < rows; row++) {
      const local = localTimestamps[row] as number;
      if (Number.isNaN(local)) continue;
      this.#first ??= local;
      this.#last = local;
      const timestamp = timestamps[row] as number;
      if (!Number.isNaN(timestamp)) latencies.add(local - timestamp);
    }
  }

  end(rows: number, symbols: number): FileContentFacts {
    return {
      rows,
      symbols,
      firstLocalTimestamp: this.#first,
      lastLocalTimestamp: this.#last,
      latencyMicroseconds: this.#latencies.summarize(),
    };
  }
}
