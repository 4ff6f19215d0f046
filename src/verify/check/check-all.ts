import { join } from 'node:path';
import { abortReason } from '../../base/errors.js';
import type { Check, Order, Sight } from '../types.js';
import type { CheckThread } from './threads.js';
import { startCheckThread } from './threads.js';

export interface CheckAllInput {
  /** Download folder. */
  readonly dir: string;
  /** How many threads. */
  readonly jobs: number;
  /** Those that were started already. */
  readonly threads?: readonly CheckThread[] | undefined;
  readonly onStart: (check: Check) => void;
  readonly onBytes: (check: Check, count: number) => void;
  readonly onSight: (check: Check, sight: Sight) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Bytes, and files, after which a batch is large enough that its messages cost nothing. */
const BATCH_BYTES = 1_000_000;
const BATCH_FILES = 64;
/** A thread has the next one at hand while it works on one, and reads one while it gunzips another. */
const BATCHES_A_THREAD = 2;

/** Looks at all files over worker threads. @throws the reason of an abort, and what is a bug. */
export async function checkAll(checks: Iterable<Check>, input: CheckAllInput): Promise<void> {
  const { jobs, signal } = input;
  const batches = batchesOf(checks);
  const threads = Array.from({ length: jobs }, (_, at) => input.threads?.[at] ?? startCheckThread());
  let stop: (reason: unknown) => void = () => {};
  const stopped = new Promise<never>((_, reject) => {
    stop = reject;
  });
  const onAbort = (): void => stop(abortReason(signal));
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    if (signal.aborted) throw abortReason(signal);
    const served = threads.flatMap((thread) =>
      Array.from({ length: BATCHES_A_THREAD }, () => serve(thread, batches, input)),
    );
    await Promise.race([Promise.all(served), stopped]);
  } finally {
    signal.removeEventListener('abort', onAbort);
    await Promise.all(threads.map((thread) => thread.close()));
  }
}

async function serve(
  thread: CheckThread,
  batches: Iterable<readonly Check[]>,
  { dir, onStart, onBytes, onSight }: CheckAllInput,
): Promise<void> {
  for (const batch of batches) {
    // A batch of small files is done before anybody could look.
    if (batch.length === 1 && batch[0]) onStart(batch[0]);
    const sights = await thread.examine(
      batch.map((check) => orderOf(check, dir)),
      (index, count) => {
        const check = batch[index];
        if (check) onBytes(check, count);
      },
    );
    for (const [index, check] of batch.entries()) {
      const sight = sights[index];
      if (!sight) throw new Error(`${check.path}: the checking thread forgot it`);
      if (batch.length > 1 && sight.seen) onBytes(check, sight.seen.bytes);
      await onSight(check, sight);
    }
  }
}

/** What a thread is asked for a check. */
export function orderOf({ kind, path, expected }: Check, dir: string): Order {
  return { kind, path: join(dir, path), bytes: expected?.bytes, hash: expected !== undefined };
}

/** A generator may be shared by all that take from it. */
function* batchesOf(checks: Iterable<Check>): Generator<readonly Check[]> {
  let batch: Check[] = [];
  let bytes = 0;
  for (const check of checks) {
    const size = check.expected?.bytes ?? BATCH_BYTES;
    if (batch.length > 0 && (bytes + size > BATCH_BYTES || batch.length >= BATCH_FILES)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(check);
    bytes += size;
  }
  if (batch.length > 0) yield batch;
}
