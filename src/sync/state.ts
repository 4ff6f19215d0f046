import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { diskError } from '../base/errors.js';
import { makeFolder } from '../base/make-folder.js';
import type { Shard } from '../dataset/shard.js';
import { stateFolder } from '../store/state-folder.js';

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
export async function readSyncState(dir: string, shard?: Shard): Promise<SyncState> {
  try {
    return syncState.parse(JSON.parse(await readFile(statePath(dir, shard), 'utf8'))).jobs;
  } catch {
    return {};
  }
}

/** @throws TickhaulError `disk`. */
export async function writeSyncState(dir: string, jobs: SyncState, shard?: Shard): Promise<void> {
  const path = statePath(dir, shard);
  const temporary = `${path}.${randomUUID()}`;
  try {
    await makeFolder(dirname(path));
    await writeFile(temporary, `${JSON.stringify({ jobs })}\n`);
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw diskError(error, path, 'disk');
  }
}

/** Shards work side by side, each with a state of its own. */
function statePath(dir: string, shard: Shard | undefined): string {
  const name = shard ? `sync.${shard.index}-of-${shard.count}.json` : 'sync.json';
  return join(stateFolder(dir), name);
}
