import { type ErrorCode, type FileError, TickhaulError } from '../base/errors.js';
import { plural } from '../base/units.js';
import type { SourceExclusion } from '../convert/naming/find-sources.js';
import { formatDay } from '../day-files/day.js';
import type { LayoutChoice } from '../day-files/layout.js';
import type { DownloadSettings, PlannedFile } from '../download/download-options.js';
import { runDownloadPlan } from '../download/run-download-jobs.js';
import type { TransferLimits } from '../download/shared-run.js';
import type { EventSink, RunEvent, RunSummary } from '../events/run-events.js';
import { describeUncoveredDays } from '../events/run-tally.js';
import { fetchKeyCoverage } from '../service/key-coverage.js';
import { type ExchangeRecord, FIELDS, fetchRecord } from '../service/records/fetch-records.js';
import type { ServiceClient } from '../service/service-client.js';
import type { Destination } from '../store/destination.js';
import { joinLocation } from '../store/location.js';
import type { LockOwner } from '../store/lock/run-lock.js';
import type { Manifest, ManifestScope } from '../store/manifest/manifest.js';
import {
  assertNamedFiles,
  deriveExchangeRecord,
  findDaysWithoutFile,
  listDayFiles,
  type PlannedReplaySeries,
  planReplay,
} from './plan-replay.js';
import { type Arrival, periodToDays, type ReplayRequest, type ReplaySeries } from './replay-request.js';

interface OpenReplayInput {
  readonly request: ReplayRequest;
  readonly client: ServiceClient;
  /** Folder for copies of exchange records. */
  readonly cache: string;
  /** Holds the day files. */
  readonly destination: Destination;
  readonly options: DownloadSettings;
  readonly layout: LayoutChoice;
  /** Read only files on disk, without requests. */
  readonly offline: boolean;
  /** Leaves out day files by what their audits found; files that are not on disk are then not downloaded. */
  readonly exclusion?: SourceExclusion | undefined;
  /** Fail if no day of any series is available. Otherwise such a replay has no messages. */
  readonly requiresDays?: boolean | undefined;
  readonly owner: LockOwner;
  /** Shared with other replays of this process. */
  readonly transfers?: TransferLimits | undefined;
  /** Receives an event for each missing file before the download starts, then the download's events. */
  readonly emit: EventSink;
  /** Called when the download ends; much may have been replayed by then. */
  readonly onDownloaded: (summary: RunSummary) => void;
  readonly signal: AbortSignal;
}

/** A replay whose day files exist or are being downloaded. */
export interface OpenedReplay {
  /** In the order that breaks ties. */
  readonly series: readonly ReplaySeries[];
  readonly arrival: Arrival;
  /** Stops downloads in progress. @throws what prevented the download from reporting the results of files. */
  close(): Promise<void>;
}

/**
 * Plans the series of a replay and starts to download their missing day files, in the order of days. With
 * `offline`, a record that is not stored is derived from the day files on disk.
 * @throws TickhaulError, before anything is downloaded: `usage`; `not_exported` for pending days, or for
 * missing days with `offline`; `no_access`.
 */
export async function openReplay(input: OpenReplayInput): Promise<OpenedReplay> {
  const { request, client, cache, destination, options, layout, offline, emit, signal } = input;
  const dir = destination.locate('');
  const warn = (message: string): void => emit({ event: 'warning', message });
  const metadata = { cache, offline, signal };
  const stored = await Promise.all(
    request.options.map(({ exchange }) =>
      fetchRecord(client, exchange, FIELDS.plan, metadata).catch((error: unknown) => {
        if (offline && error instanceof TickhaulError && error.code === 'not_exported') return undefined;
        throw error;
      }),
    ),
  );
  const coverage = offline ? undefined : await fetchKeyCoverage(client, signal, warn);
  const mayRead = coverage?.canRequest ?? (() => true);
  const manifest = await destination.openManifest({ warn, signal }, replayScope(request));
  let isManifestInUse = false;
  try {
    const context = { manifest, destination, options, layout, mayRead, warn, signal };
    const records = stored.every((record) => record !== undefined)
      ? stored
      : await completeRecords(request, stored, { destination, manifest, warn, signal });
    const planned = await excludeFiles(await planReplay(request, records, context), input);
    const files = planned.flatMap((series) => series.files);
    const unrecorded = planned.filter(({ exchange }) => !stored.some((record) => record?.id === exchange));
    assertNoneMissing(findDaysWithoutFile(unrecorded), destination);
    const [first] = planned;
    if (input.requiresDays && first?.unavailability && planned.every(({ unavailability }) => unavailability))
      throw first.unavailability;
    assertNoneWithStatus(files, 'pending', 'not_exported', () => 'not exported yet; choose an earlier end');
    assertNoneWithStatus(files, 'unauthorized', 'no_access', (count) =>
      describeUncoveredDays(count, coverage?.keyProblem),
    );
    const pending = files.filter(({ action }) => action !== 'nothing').sort(compareDays);
    const missing = pending.filter(({ action }) => action === 'fetch');
    if (offline) assertNoneMissing(missing, destination);
    const downloads = offline ? [] : pending;
    const arrivals = new FileArrivals(downloads.map(({ path }) => joinLocation(dir, path)));
    const series = planned.map(({ files: plannedFiles, unavailability: _, ...rest }) => ({
      ...rest,
      files: plannedFiles
        .filter(({ status }) => status !== 'unavailable')
        .map(({ path: name, file: { day } }) => {
          const path = joinLocation(dir, name);
          const isDownloading = arrivals.has(path);
          return { day, path, isDownloading, bytes: isDownloading ? undefined : manifest.get(name)?.bytes };
        }),
    }));
    isManifestInUse = downloads.length > 0;
    const close = isManifestInUse ? startDownload(input, downloads, manifest, arrivals) : async () => {};
    return { series, arrival: (path) => arrivals.wait(path), close };
  } finally {
    // The download closes it.
    if (!isManifestInUse) await manifest.close();
  }
}

async function excludeFiles(
  planned: readonly PlannedReplaySeries[],
  { exclusion, destination }: Pick<OpenReplayInput, 'exclusion' | 'destination'>,
): Promise<readonly PlannedReplaySeries[]> {
  if (!exclusion) return planned;
  const all = planned.flatMap(({ files }) => files);
  const isExcluded = await exclusion(
    all.map(({ path, file, status }) => ({
      path: destination.locate(path),
      file,
      isAbsent: status !== 'skip',
    })),
    all.map(({ file }) => file),
  );
  const remaining = new Set<PlannedFile>();
  for (const planFile of all)
    if (!(await isExcluded(destination.locate(planFile.path), planFile.file))) remaining.add(planFile);
  return planned.map((series) => ({ ...series, files: series.files.filter((file) => remaining.has(file)) }));
}

/**
 * The records of all options; a record that is not stored is derived from the day files in the destination.
 */
async function completeRecords(
  request: ReplayRequest,
  stored: readonly (ExchangeRecord | undefined)[],
  {
    destination,
    manifest,
    warn,
    signal,
  }: Pick<OpenReplayInput, 'destination' | 'signal'> & {
    readonly manifest: Manifest;
    readonly warn: (message: string) => void;
  },
): Promise<readonly ExchangeRecord[]> {
  const files = await listDayFiles(destination, manifest, warn, signal);
  return request.options.map((option, index) => {
    const record = stored[index] ?? deriveExchangeRecord(option, request, files);
    if (record && !stored[index]) assertNamedFiles(option, request, files, destination.name);
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
    dataTypes: [...new Set(types.map(({ dayFileType }) => dayFileType))],
    ...periodToDays(period),
  };
}

/** The sort is stable: series of one day keep their order. */
function compareDays(a: PlannedFile, b: PlannedFile): number {
  return a.file.day - b.file.day;
}

/** @returns a function that stops the download and waits for its end. */
function startDownload(
  { client, destination, options, owner, transfers, emit, onDownloaded, signal }: OpenReplayInput,
  work: readonly PlannedFile[],
  manifest: Manifest,
  arrivals: FileArrivals,
): () => Promise<void> {
  const stop = new AbortController();
  const stopped = AbortSignal.any([signal, stop.signal]);
  const reportArrival = (event: RunEvent): void => {
    if (event.event !== 'file') return;
    const path = joinLocation(destination.locate(''), event.path);
    if (event.error) arrivals.fail(path, createArrivalError(event.path, event.error));
    else arrivals.resolve(path, event.status !== 'unavailable');
  };
  const download = async (): Promise<void> => {
    const summary = await runDownloadPlan({
      plan: { options, files: () => each(work) },
      destination,
      manifest,
      client,
      owner,
      transfers,
      signal: stopped,
      emit(event) {
        reportArrival(event);
        emit(event);
      },
    });
    arrivals.end(createEndError(summary));
    // The code that aborts the download reports the reason.
    onDownloaded(stopped.aborted ? { ...summary, error: undefined } : summary);
  };
  const downloading = download();
  downloading.catch((error: unknown) => arrivals.end(error));
  return async () => {
    stop.abort(new TickhaulError('interrupted', 'the replay ended'));
    await downloading;
  };
}

/** The error of a day file that could not be downloaded, naming the file. */
function createArrivalError(path: string, { code, message, status }: FileError): TickhaulError {
  return new TickhaulError(code, message.includes(path) ? message : `${path}: ${message}`, { status });
}

/** The error for files without a result when the download ended. */
function createEndError({ error }: RunSummary): TickhaulError {
  return error
    ? new TickhaulError(error.code, error.message, error)
    : new TickhaulError('bug', 'the download ended without a result for some of its files');
}

function* each(files: readonly PlannedFile[]): Generator<PlannedFile> {
  yield* files;
}

function assertNoneWithStatus(
  files: readonly PlannedFile[],
  status: PlannedFile['status'],
  code: ErrorCode,
  describe: (count: number) => string,
): void {
  const matching = files.filter((file) => file.status === status);
  if (matching.length > 0)
    throw new TickhaulError(code, `${formatFileNames(matching)}: ${describe(matching.length)}`);
}

function assertNoneMissing(files: readonly PlannedFile[], { name }: Destination): void {
  if (files.length === 0) return;
  throw new TickhaulError(
    'not_exported',
    `no file of ${formatFileNames(files)} in ${name}; run without --offline, or download first`,
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

interface PendingFile {
  readonly arrival: Promise<boolean>;
  readonly resolve: (exists: boolean) => void;
  readonly fail: (error: unknown) => void;
}

/** Day files being downloaded, each with a promise for its readers. */
export class FileArrivals {
  readonly #pending: ReadonlyMap<string, PendingFile>;

  constructor(paths: Iterable<string>) {
    this.#pending = new Map([...paths].map((path) => [path, createPendingFile()]));
  }

  has(path: string): boolean {
    return this.#pending.has(path);
  }

  /**
   * Resolves when the download of the file ended: true if the service has the file. @throws why the file is
   * unavailable.
   */
  async wait(path: string): Promise<boolean> {
    return (await this.#pending.get(path)?.arrival) ?? true;
  }

  resolve(path: string, exists: boolean): void {
    this.#pending.get(path)?.resolve(exists);
  }

  fail(path: string, error: TickhaulError): void {
    this.#pending.get(path)?.fail(error);
  }

  /** Fails all files without a result. */
  end(error: unknown): void {
    for (const { fail } of this.#pending.values()) fail(error);
  }
}

function createPendingFile(): PendingFile {
  let resolve = (_exists: boolean): void => {};
  let fail = (_error: unknown): void => {};
  const arrival = new Promise<boolean>((onResolve, onReject) => {
    resolve = onResolve;
    fail = onReject;
  });
  // Avoids an unhandled rejection: the file may never be awaited.
  arrival.catch(() => {});
  return { arrival, resolve, fail };
}
