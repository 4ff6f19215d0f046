import { readdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { FileEvent, FindingEvent, RunEvent, RunSummary } from '../../src/events/run-events.js';
import type { Sandbox, SandboxOptions } from '../../src/sandbox/sandbox-options.js';
import { createServiceClient } from '../../src/service/service-client.js';
import type { Destination } from '../../src/store/destination.js';
import { openFolderDestination } from '../../src/store/folder/folder-destination.js';
import type { LockOwner } from '../../src/store/lock/run-lock.js';
import type { InspectFiles } from '../../src/verify/file-checks.js';
import { createRepair } from '../../src/verify/repair.js';
import { verifyDestination } from '../../src/verify/verify-destination.js';
import { envOf, type Finished, succeeded } from '../helpers/cli.js';
import { DOWNLOAD_DEFAULTS } from '../helpers/download-settings.js';
import { runHere } from '../helpers/in-process.js';
import { sandbox } from '../helpers/sandbox.js';
import { tradesOf } from '../helpers/selection.js';
import { tempDir } from '../helpers/temp.js';

/** A day file without rows, which may have the name of any day file of trades. */
export const NO_ROWS = gzipSync('exchange,symbol,timestamp,local_timestamp,id,side,price,amount\n');

/** A folder with day files of trades, 2024-03-01 to 2024-03-04, and their service. */
export interface Folder {
  readonly service: Sandbox;
  readonly dir: string;
  readonly env: Record<string, string>;
  /** Runs a command for this folder, in this process. */
  run(...args: readonly string[]): Promise<Finished>;
  /** Verifies in this process. @param flags and paths as on the command line. */
  verify(...flags: readonly string[]): Promise<Verified>;
}

export interface Verified {
  readonly exitCode: number;
  readonly warnings: string;
  /** `status path`, or `kind path` of a finding, in order, without verified files. */
  readonly bad: readonly string[];
  readonly files: readonly FileEvent[];
  readonly findings: readonly FindingEvent[];
  readonly summary: RunSummary;
}

export const dayFileName = (day: string, symbol = 'BTCUSDT'): string =>
  `binance-futures_trades_2024-03-${day}_${symbol}.csv.gz`;
export const [FIRST, SECOND, THIRD, FOURTH] = ['01', '02', '03', '04'].map((day) => dayFileName(day)) as [
  string,
  string,
  string,
  string,
];
export const SELECTION = tradesOf('2024-03-01', '2024-03-05');

export async function downloadFolder(
  t: TestContext,
  options: SandboxOptions = {},
  flags: readonly string[] = [],
): Promise<Folder> {
  const folder = folderOf(await sandbox(t, options), join(await tempDir(t), 'data'));
  await succeeded(folder.run('download', ...SELECTION, ...flags));
  return folder;
}

export const OWNER: LockOwner = {
  pid: process.pid,
  host: hostname(),
  now: Date.now(),
  command: 'test',
  isAlive: (pid) => pid === process.pid,
};

export function folderOf(service: Sandbox, dir: string): Folder {
  const env = { ...envOf(service, dir), XDG_CACHE_HOME: `${dir}.cache` };
  return {
    service,
    dir,
    env,
    run: (...args) => runHere(args, { env }),
    verify: (...flags) => verifyHere(service, openFolderDestination(dir), flags),
  };
}

/** @param flags and paths in the destination. @param inspect how its files are inspected; by default as in `verify`. */
export async function verifyHere(
  service: Sandbox,
  destination: Destination,
  flags: readonly string[],
  inspect?: InspectFiles,
  onEvent: (event: RunEvent) => void = () => {},
): Promise<Verified> {
  const events: RunEvent[] = [];
  const emit = (event: RunEvent): void => {
    events.push(event);
    onEvent(event);
  };
  const { apiUrl, datasetsUrl, apiKey } = service;
  const client = createServiceClient({ apiUrl, datasetsUrl, apiKey, stallTimeoutMs: 60_000, env: {} });
  try {
    const summary = await verifyDestination({
      destination,
      paths: flags.filter((flag) => !flag.startsWith('-')),
      quick: flags.includes('--quick'),
      jobs: 2,
      inspect,
      adopt: flags.includes('--adopt'),
      clean: flags.includes('--clean'),
      forget: flags.includes('--forget'),
      strict: flags.includes('--strict'),
      repair: flags.includes('--repair')
        ? createRepair({
            client,
            destination,
            options: { ...DOWNLOAD_DEFAULTS, concurrency: 4, retries: 1, maxWaitMs: 1000 },
            threads: 1,
            emit,
          })
        : undefined,
      owner: OWNER,
      emit,
      signal: new AbortController().signal,
    });
    const files = events.filter((event) => event.event === 'file');
    const findings = events.filter((event) => event.event === 'finding');
    const bad = files
      .filter(({ status }) => status !== 'verified')
      .map(({ status, path }) => `${status} ${path}`);
    const found = findings.map(({ kind, path, series }) => `${kind} ${path ?? series?.symbol}`);
    const warnings = events.map((event) => (event.event === 'warning' ? event.message : '')).join('\n');
    return {
      exitCode: summary.exitCode,
      warnings,
      bad: [...bad, ...found].sort(),
      files,
      findings,
      summary,
    };
  } finally {
    await client.close();
  }
}

/** Names in the folder, except those of tickhaul. */
export async function listNames(dir: string): Promise<readonly string[]> {
  return (await readdir(dir)).filter((name) => name !== '.tickhaul').sort();
}
