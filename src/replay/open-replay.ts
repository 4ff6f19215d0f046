import { type ErrorCode, TickhaulError } from '../base/errors.js';
import type { FileError } from '../base/file-error.js';
import { plural } from '../base/units.js';
import { formatDay } from '../dataset/day.js';
import type { LayoutChoice } from '../dataset/layout.js';
import type { DownloadOptions, PlannedFile } from '../download/download-options.js';
import { downloadPlan } from '../download/download-plan.js';
import type { TransferLimits } from '../download/transfer-limits.js';
import type { EventSink, RunEvent, RunSummary } from '../run/run-events.js';
import type { ServiceClient } from '../service/http/service-client.js';
import { fetchKeyCoverage } from '../service/key/key-coverage.js';
import { type ExchangeRecord, fetchDatasetRecord } from '../service/records/fetch-records.js';
import type { Destination } from '../store/destination.js';
import { joinLocation } from '../store/location.js';
import type { LockOwner } from '../store/lock/run-lock.js';
import type { Manifest } from '../store/manifest/manifest.js';
import type { ManifestScope } from '../store/manifest/manifest-scope.js';
import { FileArrivals } from './file-arrivals.js';
import { daysWithoutFile, filesIn, recordOfFiles } from './folder-record.js';
import { periodToDays } from './parse-period.js';
import { planReplay } from './plan-replay.js';
import type { Arrival, ReplayRequest, ReplaySeries } from './replay-request.js';

export interface OpenReplayInput {
  readonly request: ReplayRequest;
  readonly client: ServiceClient;
  /** Folder for copies of exchange records. */
  readonly cache: string;
  /** Where the day files lie. */
  readonly destination: Destination;
  readonly options: DownloadOptions;
  readonly layout: LayoutChoice;
  /** Only what is on disk: nothing is asked for. */
  readonly offline: boolean;
  readonly owner: LockOwner;
  /** Shared with other replays of this process. */
  readonly transfers?: TransferLimits | undefined;
  /** Told of what is missing, before it is downloaded; then of the download. */
  readonly emit: EventSink;
  /** Told of the download's end, by which much may have been replayed. */
  readonly onDownloaded: (summary: RunSummary) => void;
  readonly signal: AbortSignal;
}

/** A replay whose day files are there, or on their way. */
export interface OpenedReplay {
  /** In the order that breaks ties. */
  readonly series: readonly ReplaySeries[];
  readonly arrival: Arrival;
  /** Breaks off what is still being downloaded. @throws what kept the download from telling what became of files. */
  close(): Promise<void>;
}

/**
 * Works out the series of a replay, and begins to bring their missing day files to disk, day by day.
 * Under `offline`, the day files that are there stand in for a record that is not stored.
 * @throws TickhaulError, before anything is downloaded: `usage`; `not_exported` for days that are pending, or missing
 * under `offline`; `no_access`.
 */
export async function openReplay(input: OpenReplayInput): Promise<OpenedReplay> {
  const { request, client, cache, destination, layout, offline, emit, signal } = input;
  const dir = destination.locate('');
  const warn = (message: string): void => emit({ event: 'warning', message });
  const asking = { cache, offline, signal };
  const stored = await Promise.all(
    request.options.map(({ exchange }) =>
      fetchDatasetRecord(client, exchange, asking).catch((error: unknown) => {
        if (offline && error instanceof TickhaulError && error.code === 'not_exported') return undefined;
        throw error;
      }),
    ),
  );
  const mayRead = offline ? () => true : (await fetchKeyCoverage(client, signal, warn)).canRequest;
  const manifest = await destination.openManifest({ warn, signal }, replayScope(request));
  let isHandedOn = false;
  try {
    const context = { manifest, destination, layout, mayRead, warn, signal };
    const records = stored.every((record) => record !== undefined)
      ? stored
      : await withoutRecord(request, stored, { destination, manifest, signal });
    const planned = await planReplay(request, records, context);
    const files = planned.flatMap((series) => series.files);
    const unrecorded = planned.filter(({ exchange }) => !stored.some((record) => record?.id === exchange));
    assertNoneMissing(daysWithoutFile(unrecorded), destination);
    assertNoneWithStatus(files, 'pending', 'not_exported', 'not exported yet; choose an earlier end');
    assertNoneWithStatus(
      files,
      'unauthorized',
      'no_access',
      'not in the reach of the API key; set a key that covers it',
    );
    const work = files.filter(({ action }) => action !== 'nothing').sort(byDay);
    const missing = work.filter(({ action }) => action === 'fetch');
    if (offline) assertNoneMissing(missing, destination);
    const coming = offline ? [] : work;
    const arrivals = new FileArrivals(coming.map(({ path }) => joinLocation(dir, path)));
    const series = planned.map(({ files: own, ...one }) => ({
      ...one,
      files: own
        .filter(({ status }) => status !== 'unavailable')
        .map(({ path: name, file: { day } }) => {
          const path = joinLocation(dir, name);
          const isComing = arrivals.has(path);
          return { day, path, isComing, bytes: isComing ? undefined : manifest.get(name)?.bytes };
        }),
    }));
    isHandedOn = coming.length > 0;
    const close = isHandedOn ? startDownload(input, coming, manifest, arrivals) : async () => {};
    return { series, arrival: (path) => arrivals.wait(path), close };
  } finally {
    // A download closes it itself.
    if (!isHandedOn) await manifest.close();
  }
}

/** The records of all options: those that are not stored are made of the day files that are there. */
async function withoutRecord(
  request: ReplayRequest,
  stored: readonly (ExchangeRecord | undefined)[],
  { destination, manifest, signal }: { destination: Destination; manifest: Manifest; signal: AbortSignal },
): Promise<readonly ExchangeRecord[]> {
  const files = await filesIn(destination, manifest, signal);
  return request.options.map((option, at) => {
    const record = stored[at] ?? recordOfFiles(option, request, files);
    if (record) return record;
    throw new TickhaulError(
      'not_exported',
      `${option.exchange}: neither a day file in ${destination.name} nor a stored exchange record; run without --offline, or download first`,
    );
  });
}

function replayScope({ options, types, period }: ReplayRequest): ManifestScope {
  return {
    exchanges: [...new Set(options.map(({ exchange }) => exchange))],
    dataTypes: [...new Set(types.map(({ dayFiles }) => dayFiles))],
    ...periodToDays(period),
  };
}

/** Series of the same day stay in their order. */
function byDay(a: PlannedFile, b: PlannedFile): number {
  return a.file.day - b.file.day;
}

/** @returns what breaks it off. */
function startDownload(
  { client, destination, options, owner, transfers, emit, onDownloaded, signal }: OpenReplayInput,
  work: readonly PlannedFile[],
  manifest: Manifest,
  arrivals: FileArrivals,
): () => Promise<void> {
  const stop = new AbortController();
  const stopped = AbortSignal.any([signal, stop.signal]);
  const note = (event: RunEvent): void => {
    if (event.event !== 'file') return;
    const path = joinLocation(destination.locate(''), event.path);
    if (event.error) arrivals.fail(path, createArrivalError(event.path, event.error));
    else arrivals.resolve(path, event.status !== 'unavailable');
  };
  const download = async (): Promise<void> => {
    const summary = await downloadPlan({
      plan: { files: () => each(work) },
      destination,
      manifest,
      client,
      options,
      owner,
      transfers,
      signal: stopped,
      emit(event) {
        note(event);
        emit(event);
      },
    });
    arrivals.end(createEndError(summary));
    // Why it was broken off is told by whoever did so.
    onDownloaded(stopped.aborted ? { ...summary, error: undefined } : summary);
  };
  const downloading = download();
  downloading.catch((error: unknown) => arrivals.end(error));
  return async () => {
    stop.abort(new TickhaulError('interrupted', 'the replay ended'));
    await downloading;
  };
}

/** Why a replay can't go on behind a day file. */
function createArrivalError(path: string, { code, message, status }: FileError): TickhaulError {
  return new TickhaulError(code, message.includes(path) ? message : `${path}: ${message}`, { status });
}

/** Why files of which nothing was told don't come. */
function createEndError({ error }: RunSummary): TickhaulError {
  return error
    ? new TickhaulError(error.code, error.message, error)
    : new TickhaulError('bug', 'a download ended without a word on some of its files');
}

function* each(files: readonly PlannedFile[]): Generator<PlannedFile> {
  yield* files;
}

function assertNoneWithStatus(
  files: readonly PlannedFile[],
  status: PlannedFile['status'],
  code: ErrorCode,
  why: string,
): void {
  const found = files.filter((file) => file.status === status);
  if (found.length > 0) throw new TickhaulError(code, `${formatFileNames(found)}: ${why}`);
}

function assertNoneMissing(files: readonly PlannedFile[], { kind, name }: Destination): void {
  if (files.length === 0) return;
  const where = kind === 'folder' ? 'on disk' : `under ${name}`;
  throw new TickhaulError(
    'not_exported',
    `${formatFileNames(files)}: not ${where}; run without --offline, or download first`,
  );
}

const MAX_SHOWN_FILES = 5;

function formatFileNames(files: readonly PlannedFile[]): string {
  const names = files
    .slice(0, MAX_SHOWN_FILES)
    .map(({ file }) => `${file.exchange} ${file.dataType} ${file.symbol} ${formatDay(file.day)}`);
  const more =
    files.length > MAX_SHOWN_FILES ? ` and ${plural(files.length - MAX_SHOWN_FILES, 'other day file')}` : '';
  return `${names.join(', ')}${more}`;
}
