import type { TestContext } from 'node:test';
import { parseDay } from '../../src/day-files/day.js';
import type { DownloadSettings, Selection } from '../../src/download/download-options.js';
import type { FileEvent, RunEvent, RunSummary } from '../../src/events/run-events.js';
import type { Sandbox, SandboxOptions } from '../../src/sandbox/sandbox-options.js';
import { openFolderDestination } from '../../src/store/folder/folder-destination.js';
import { runSyncJobs } from '../../src/sync/run-sync-jobs.js';
import type { SyncInput, SyncJob } from '../../src/sync/sync-options.js';
import { DOWNLOAD_DEFAULTS } from '../helpers/download-settings.js';
import { sandbox } from '../helpers/sandbox.js';
import { clientFor } from '../service/loopback.js';

/** An embedded service whose export ends before a day. */
export function startNight(t: TestContext, until: string, options: SandboxOptions = {}): Promise<Sandbox> {
  return sandbox(t, { exportedUntil: parseDay(until), ...options });
}

export function filterByJob(files: readonly FileEvent[], name: string): readonly FileEvent[] {
  return files.filter((file) => file.job === name);
}

/** A job with trades of binance-futures, with overrides. */
export function job(
  name: string,
  selection: Partial<Selection>,
  options: Partial<DownloadSettings> = {},
): SyncJob {
  return {
    name,
    where: `tickhaul.yaml:${name}`,
    selection: {
      exchange: 'binance-futures',
      types: ['trades'],
      symbols: ['BTCUSDT'],
      layout: 'flat',
      ...selection,
    },
    options: { ...DOWNLOAD_DEFAULTS, retries: 2, maxWaitMs: 1000, ...options },
    stallTimeoutMs: 60_000,
    audit: false,
  };
}

export interface SyncRun {
  readonly summary: RunSummary;
  readonly events: readonly RunEvent[];
  readonly files: readonly FileEvent[];
  readonly notes: readonly string[];
}

/** Runs the jobs once, in this process. */
export async function syncNow(
  t: TestContext,
  service: Pick<Sandbox, 'apiUrl' | 'datasetsUrl' | 'apiKey'>,
  dir: string,
  jobs: readonly SyncJob[],
  more: Partial<SyncInput> = {},
): Promise<SyncRun> {
  const { apiUrl, datasetsUrl, apiKey } = service;
  const events: RunEvent[] = [];
  const summary = await runSyncJobs({
    client: clientFor(t, apiUrl, { datasetsUrl, apiKey }),
    jobs,
    destination: openFolderDestination(dir),
    options: { concurrency: 'auto' },
    owner: { pid: process.pid, host: 'here', now: Date.now(), command: 'test', isAlive: () => true },
    lockTimeoutMs: 0,
    emit: (event) => events.push(event),
    signal: new AbortController().signal,
    ...more,
  });
  return {
    summary,
    events,
    files: events.filter((event) => event.event === 'file'),
    notes: events.flatMap((event) => (event.event === 'note' ? [event.message] : [])),
  };
}

/** Paths of the requested day files, in order. */
export function requestedPaths(service: Sandbox): readonly string[] {
  return service.requests
    .filter(({ host }) => host === 'datasets')
    .map(({ url }) => decodeURIComponent(url.replace(/\?.*/, '')));
}
