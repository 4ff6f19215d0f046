import type { FileContentFacts, LatencySummary } from '../events/audited-day.js';
import type { AuditBatch } from './audit-batch.js';

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

/** Leading bits of a value that select its bucket, after the first one: buckets are 1/256 wide. */
const MANTISSA_BITS = 8;
const BUCKETS_PER_OCTAVE = 2 ** MANTISSA_BITS;
/** Values have up to 54 bits: differences of times up to 2^53. */
const BUCKETS_PER_SIGN = 55 * BUCKETS_PER_OCTAVE;

/** A histogram of whole microseconds, also negative ones, with buckets of at most 0.4 percent of the value. */
class LatencyHistogram {
  /** Negative values in descending order, then 0, then positive values. */
  readonly #counts = new Float64Array(2 * BUCKETS_PER_SIGN + 1);
  #count = 0;
  #min = Number.POSITIVE_INFINITY;
  #max = Number.NEGATIVE_INFINITY;

  add(microseconds: number): void {
    const at = BUCKETS_PER_SIGN + toBucket(microseconds);
    this.#counts[at] = (this.#counts[at] as number) + 1;
    this.#count++;
    if (microseconds < this.#min) this.#min = microseconds;
    if (microseconds > this.#max) this.#max = microseconds;
  }

  /** Null if there are no values. */
  summarize(): LatencySummary | null {
    if (this.#count === 0) return null;
    return { p50: this.#percentile(50), p99: this.#percentile(99), max: this.#max };
  }

  /** The least value that this many percent of the values do not exceed. */
  #percentile(percent: number): number {
    const rank = Math.ceil((percent * this.#count) / 100);
    let seen = 0;
    let at = -1;
    while (seen < rank) seen += this.#counts[++at] as number;
    return Math.min(this.#max, Math.max(this.#min, bucketMiddle(at - BUCKETS_PER_SIGN)));
  }
}

const double = new Float64Array(1);
const words = new Uint32Array(double.buffer);
/** Biased exponent of 1. */
const EXPONENT_OF_ONE = 1023 << MANTISSA_BITS;

/** 0 for 0, and 1 for 1; negative values have negative buckets. */
function toBucket(value: number): number {
  if (value === 0) return 0;
  double[0] = Math.abs(value);
  const bucket = ((words[1] as number) >>> (20 - MANTISSA_BITS)) - EXPONENT_OF_ONE + 1;
  return value < 0 ? -bucket : bucket;
}

function bucketMiddle(bucket: number): number {
  if (bucket === 0) return 0;
  const index = Math.abs(bucket) - 1;
  const width = 2 ** Math.floor(index / BUCKETS_PER_OCTAVE) / BUCKETS_PER_OCTAVE;
  const start = width * (BUCKETS_PER_OCTAVE + (index % BUCKETS_PER_OCTAVE));
  const middle = Math.ceil(start) + Math.floor(Math.max(0, width - 1) / 2);
  return bucket < 0 ? -middle : middle;
}
