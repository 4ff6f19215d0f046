import { join } from 'node:path';
import { type ErrorCode, TickhaulError } from '../base/errors.js';
import type { FileError } from '../base/file-error.js';
import { plural } from '../base/units.js';
import { formatDay } from '../dataset/day.js';
import type { LayoutChoice } from '../dataset/layout.js';
import { downloadPlan } from '../download/download-plan.js';
import type { DownloadOptions, PlannedFile } from '../download/types.js';
import type { EventSink, RunSummary } from '../run/events.js';
import type { Client } from '../service/http/client.js';
import { fetchKeyReach } from '../service/key/key-coverage.js';
import { fetchDatasetRecord } from '../service/records/metadata.js';
import type { LockOwner } from '../store/lock/run-lock.js';
import { openManifest } from '../store/manifest/manifest.js';
import { planReplay } from './plan.js';
import type { ReplayRequest, ReplaySeries } from './types.js';

export interface OpenReplayInput {
  readonly request: ReplayRequest;
  readonly client: Client;
  /** Folder for copies of exchange records. */
  readonly cache: string;
  readonly options: DownloadOptions;
  readonly layout: LayoutChoice;
  /** Only what is on disk: nothing is asked for. */
  readonly offline: boolean;
  readonly owner: LockOwner;
  /** Told of what is missing, before it is downloaded; then of the download, and of its end. */
  readonly emit: EventSink;
  readonly onDownloaded: (summary: RunSummary) => void;
  readonly signal: AbortSignal;
}

/**
 * Works out the series of a replay, and brings their missing day files to disk.
 * @throws TickhaulError, before a line can be written: `usage`; `not_exported` for days that are pending, or missing
 * under `offline`; `no_access`; what the download failed with.
 */
export async function openReplay(input: OpenReplayInput): Promise<readonly ReplaySeries[]> {
  const { request, client, cache, options, layout, offline, owner, emit, signal } = input;
  const warn = (message: string): void => emit({ event: 'warning', message });
  const asking = { cache, offline, signal };
  const records = await Promise.all(
    request.options.map(({ exchange }) => fetchDatasetRecord(client, exchange, asking)),
  );
  const mayRead = offline ? () => true : (await fetchKeyReach(client, signal, warn)).mayRead;
  const manifest = await openManifest(options.dir, { warn });
  let isHandedOn = false;
  try {
    const context = { manifest, dir: options.dir, layout, mayRead, warn };
    const planned = planReplay(request, records, context);
    const files = planned.flatMap((series) => series.files);
    refuse(files, 'pending', 'not_exported', 'not exported yet; choose an earlier end');
    refuse(files, 'unauthorized', 'no_access', 'not in the reach of the API key; set a key that covers it');
    const absent = new Set(files.filter(({ status }) => status === 'unavailable').map(({ path }) => path));
    const work = files.filter(({ action }) => action !== 'nothing');
    if (offline) refuseMissing(work.filter(({ action }) => action === 'fetch'));
    else if (work.length > 0) {
      isHandedOn = true;
      const errors: FileError[] = [];
      const summary = await downloadPlan({
        plan: { files: () => each(work) },
        manifest,
        client,
        options,
        owner,
        signal,
        emit(event) {
          if (event.event === 'file' && event.status === 'unavailable') absent.add(event.path);
          if (event.event === 'file' && event.error && event.status === 'failed') errors.push(event.error);
          emit(event);
        },
      });
      input.onDownloaded(summary);
      if (signal.aborted) signal.throwIfAborted();
      if (summary.exitCode !== 0) throw downloadError(summary, errors);
    }
    return planned.map(({ files: own, ...series }) => ({
      ...series,
      paths: own.filter(({ path }) => !absent.has(path)).map(({ path }) => join(options.dir, path)),
    }));
  } finally {
    // A download closes it itself.
    if (!isHandedOn) await manifest.close();
  }
}

function* each(files: readonly PlannedFile[]): Generator<PlannedFile> {
  yield* files;
}

function refuse(
  files: readonly PlannedFile[],
  status: PlannedFile['status'],
  code: ErrorCode,
  why: string,
): void {
  const found = files.filter((file) => file.status === status);
  if (found.length > 0) throw new TickhaulError(code, `${named(found)}: ${why}`);
}

function refuseMissing(files: readonly PlannedFile[]): void {
  if (files.length === 0) return;
  throw new TickhaulError(
    'not_exported',
    `${named(files)}: not on disk; run without --offline, or download first`,
  );
}

const SHOWN = 5;

function named(files: readonly PlannedFile[]): string {
  const names = files
    .slice(0, SHOWN)
    .map(({ file }) => `${file.exchange} ${file.dataType} ${file.symbol} ${formatDay(file.day)}`);
  const more = files.length > SHOWN ? ` and ${plural(files.length - SHOWN, 'other day file')}` : '';
  return `${names.join(', ')}${more}`;
}

function downloadError({ error, exitCode }: RunSummary, errors: readonly FileError[]): TickhaulError {
  const first = error ?? errors[0];
  const isOne = first !== undefined && new TickhaulError(first.code, '').exitCode === exitCode;
  const code = isOne ? first.code : 'mixed';
  const reason = first ? `: ${first.message}` : '';
  return new TickhaulError(code, `nothing was replayed, since day files could not be downloaded${reason}`);
}
