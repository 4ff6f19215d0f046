import * as z from 'zod';
import { TickhaulError } from '../base/errors.js';
import type { Shard } from '../dataset/shard.js';
import type { Destination } from '../store/destination.js';

const jobState = z.object({
  /** The selection of symbols that `symbols` is of. */
  selection: z.string(),
  /** Listed symbols that the selection matched. */
  symbols: z.array(z.string()),
  /** Paths of files that failed, to be tried first. */
  failed: z.array(z.string()),
});

const syncState = z.object({ jobs: z.record(z.string(), jobState) });

/** What a job's last run left for the next one. */
export type JobState = Readonly<z.infer<typeof jobState>>;
export type SyncState = Readonly<Record<string, JobState>>;

/** What the last run left (`.tickhaul/sync.json`), by the jobs' names; empty where that is missing or damaged. */
export async function readSyncState(
  destination: Destination,
  shard: Shard | undefined,
  signal: AbortSignal,
): Promise<SyncState> {
  try {
    const text = await destination.readState(stateName(shard), signal);
    return syncState.parse(JSON.parse(text ?? '')).jobs;
  } catch (error) {
    // A store that can't be reached says so; what can't be understood is as none.
    if (error instanceof TickhaulError && destination.kind !== 'folder') throw error;
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

/** Shards work side by side, each with a state of its own. */
function stateName(shard: Shard | undefined): string {
  return shard ? `sync.${shard.index}-of-${shard.count}.json` : 'sync.json';
}
