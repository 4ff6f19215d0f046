import * as z from 'zod';
import { TickhaulError } from '../base/errors.js';
import type { Shard } from '../day-files/shard.js';
import type { Destination } from '../store/destination.js';

const jobState = z.object({
  /** The selection that `symbols` resulted from. */
  selection: z.string(),
  /** Listed symbols that the selection matched. */
  symbols: z.array(z.string()),
  /** Paths of failed files, to be tried first. */
  failed: z.array(z.string()),
});

const syncState = z.object({ jobs: z.record(z.string(), jobState) });

/** State saved by a job's last run for the next one. */
export type JobState = Readonly<z.infer<typeof jobState>>;
export type SyncState = Readonly<Record<string, JobState>>;

/** The state of the last run (`docs/spec/manifest.md#sync-state`), by job name; empty if it is missing or damaged. */
export async function readSyncState(
  destination: Destination,
  shard: Shard | undefined,
  signal: AbortSignal,
): Promise<SyncState> {
  try {
    const text = await destination.readState(stateName(shard), signal);
    return syncState.parse(JSON.parse(text ?? '')).jobs;
  } catch (error) {
    // An unreachable store is an error; an unreadable state counts as none.
    if (error instanceof TickhaulError && error.code !== 'disk') throw error;
    return {};
  }
}

/** @throws TickhaulError `disk`. */
export async function writeSyncState(
  destination: Destination,
  jobs: SyncState,
  shard: Shard | undefined,
  signal: AbortSignal,
): Promise<void> {
  await destination.writeState(stateName(shard), `${JSON.stringify({ jobs })}\n`, signal);
}

/** Shards run in parallel, each with its own state. */
function stateName(shard: Shard | undefined): string {
  return shard ? `sync.${shard.index}-of-${shard.count}.json` : 'sync.json';
}
