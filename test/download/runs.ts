import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { DownloadSettings, Selection } from '../../src/download/download-options.js';
import { type DownloadPlanInput, runDownloadPlan } from '../../src/download/run-download-jobs.js';
import type { FileEvent, RunEvent, RunSummary } from '../../src/events/run-events.js';
import { openDownloadTarget } from '../../src/operations/selection/download-target.js';
import type { FaultKind } from '../../src/sandbox/hosts/sandbox-faults.js';
import type { Sandbox, SandboxOptions } from '../../src/sandbox/sandbox-options.js';
import { createServiceClient } from '../../src/service/service-client.js';
import type { Destination } from '../../src/store/destination.js';
import { openFolderDestination } from '../../src/store/folder/folder-destination.js';
import type { LockOwner } from '../../src/store/lock/run-lock.js';
import { DOWNLOAD_DEFAULTS } from '../helpers/download-settings.js';
import { sandbox } from '../helpers/sandbox.js';
import { tempDir } from '../helpers/temp.js';

/** This process as the owner of a folder's lock. */
export const OWNER: LockOwner = {
  pid: process.pid,
  host: 'test',
  now: Date.now(),
  command: 'test',
  isAlive: () => true,
};

/** The only file of the default selection. */
export const NAME = 'binance-futures_trades_2024-03-01_BTCUSDT.csv.gz';

export interface Run {
  readonly summary: RunSummary;
  readonly events: readonly RunEvent[];
  readonly files: readonly FileEvent[];
}

export interface RunInput {
  readonly selection?: Partial<Selection>;
  readonly options?: Partial<DownloadSettings>;
  readonly apiKey?: string | undefined;
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: RunEvent) => void;
  readonly stallTimeoutMs?: number;
}

/** Short if a test waits for it, else long enough for late responses and a busy machine. */
export function patience(fault: FaultKind): Pick<RunInput, 'stallTimeoutMs'> {
  return fault === 'stall' ? { stallTimeoutMs: 300 } : {};
}

/** Downloads a selection, by default to a folder. */
export async function run(service: Sandbox, where: string | Destination, input: RunInput = {}): Promise<Run> {
  const events: RunEvent[] = [];
  const client = createServiceClient({
    apiUrl: service.apiUrl,
    datasetsUrl: service.datasetsUrl,
    apiKey: 'apiKey' in input ? input.apiKey : service.apiKey,
    stallTimeoutMs: input.stallTimeoutMs ?? 60_000,
    env: {},
  });
  const selection = {
    exchange: 'binance-futures',
    types: ['trades'],
    symbols: ['BTCUSDT'],
    date: ['2024-03-01'],
    layout: 'flat',
    ...input.selection,
  };
  const all: Omit<DownloadPlanInput, 'plan' | 'manifest'> & { options: DownloadSettings } = {
    client,
    destination: typeof where === 'string' ? openFolderDestination(where) : where,
    options: { ...DOWNLOAD_DEFAULTS, maxWaitMs: 5000, ...input.options },
    owner: OWNER,
    emit: (event) => {
      events.push(event);
      input.onEvent?.(event);
    },
    signal: input.signal ?? new AbortController().signal,
  };
  try {
    const summary = await runDownloadPlan({ ...all, ...(await openDownloadTarget({ selection }, all)) });
    return { summary, events, files: events.filter((event) => event.event === 'file') };
  } finally {
    await client.close();
  }
}

/** Files with final names that zlib verifies completely, and other files. */
export async function onDisk(dir: string): Promise<{ whole: string[]; parts: string[] }> {
  const names = (await readdir(dir)).filter((name) => !name.startsWith('.'));
  const whole = names.filter((name) => name.endsWith('.csv.gz')).sort();
  for (const name of whole) gunzipSync(await readFile(join(dir, name)));
  return { whole, parts: names.filter((name) => name.endsWith('.part')) };
}

export async function setUp(
  t: TestContext,
  options: SandboxOptions = {},
): Promise<{ service: Sandbox; dir: string }> {
  return { service: await sandbox(t, options), dir: await tempDir(t) };
}
