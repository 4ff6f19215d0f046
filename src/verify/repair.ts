import { parseOutputSelection, ROWS_WORD } from '../convert/output-selection.js';
import type { ContentOptions } from '../convert/provenance.js';
import type { DownloadSettings, PlannedFile, PlannedOutput } from '../download/download-options.js';
import { runDownloadJobs } from '../download/run-download-jobs.js';
import type { DownloadJob } from '../download/shared-run.js';
import type { EventSink, FileEvent, FileStatus, RunSummary } from '../events/run-events.js';
import type { KeyProblem } from '../events/run-tally.js';
import { type BarRules, parseComputedTypeName, withBarRules } from '../market/message-type-name.js';
import { type CanRequest, fetchKeyCoverage } from '../service/key-coverage.js';
import type { ServiceClient } from '../service/service-client.js';
import type { Destination } from '../store/destination.js';
import type { Manifest } from '../store/manifest/manifest.js';
import type { ConversionEntry } from '../store/manifest-record.js';
import type { BadFile, RepairFiles } from './file-checks.js';
import { groupByDayFile } from './verify-destination.js';

interface RepairInput {
  readonly client: ServiceClient;
  readonly destination: Destination;
  readonly options: Omit<DownloadSettings, 'convert'>;
  /** Threads for conversions. */
  readonly threads: number;
  readonly emit: EventSink;
}

/**
 * Creates the repair of bad files: downloads day files again, and converts again from valid day files on disk. Each
 * old file stays in place until the new one is verified.
 */
export function createRepair(input: RepairInput): RepairFiles {
  const { destination, options, emit } = input;
  return async (bad, manifest, emitResult, signal) => {
    const warn = (message: string): void => emit({ event: 'warning', message });
    const { canRequest, keyProblem } = await fetchKeyCoverage(input.client, signal, warn);
    const pending = new Map(bad.map((file) => [filePath(file), file]));
    const reportFile = (event: FileEvent): void => {
      // The event of a day file also covers the outputs converted from it.
      for (const path of [event.path, ...(event.outputs ?? [])]) {
        const file = pending.get(path);
        if (!file || !pending.delete(path)) continue;
        emitResult(
          isRepaired(event)
            ? createRepairedEvent(file, event, manifest)
            : createUnrepairedEvent(file, event.error?.message ?? explainFailure(event.status, keyProblem)),
        );
      }
    };
    const run = (files: readonly BadFile[]): Promise<readonly RunSummary[]> =>
      runDownloadJobs(
        {
          place: { destination, manifest, partSuffix: undefined },
          options,
          signal,
          emit(event) {
            if (event.event === 'file') reportFile(event);
            else if (event.event !== 'plan') emit(event);
          },
        },
        createRepairJobs(files, input, canRequest),
      );
    const summaries = [...(await run(bad))];
    const outdated = findOutdatedConversions(bad, manifest);
    for (const file of outdated) pending.set(filePath(file), file);
    summaries.push(...(await run(outdated)));
    if (signal.aborted) return;
    const reason =
      summaries.map((summary: RunSummary) => summary.error?.message).find(Boolean) ?? 'not tried';
    for (const file of pending.values()) emitResult(createUnrepairedEvent(file, reason));
  };
}

/** Valid conversions whose day file was downloaded again with other bytes. */
function findOutdatedConversions(bad: readonly BadFile[], manifest: Manifest): readonly BadFile[] {
  const known = new Set(bad.map(filePath));
  return bad.flatMap(({ record }) => {
    const { file, path: source, sha256, conversions = [] } = record;
    if (manifest.get(source)?.sha256 === sha256) return [];
    return conversions.flatMap((conversion): BadFile[] => {
      const { path } = conversion;
      if (known.has(path)) return [];
      known.add(path);
      const error = {
        code: 'corrupt',
        message: `${path}: ${source} has changed since this conversion`,
      } as const;
      return [{ record, conversion, event: { event: 'file', status: 'corrupt', file, path, source, error } }];
    });
  });
}

/** One job for the day files, then one for each set of conversion options. */
function createRepairJobs(
  bad: readonly BadFile[],
  { client, options, threads }: RepairInput,
  canRequest: CanRequest,
): readonly DownloadJob[] {
  const dayFiles = bad.filter(({ conversion }) => !conversion);
  const groups = new Map<string, BadFile[]>();
  for (const file of bad) {
    if (!file.conversion) continue;
    const key = JSON.stringify([file.conversion.options, file.record.dropped]);
    groups.set(key, [...(groups.get(key) ?? []), file]);
  }
  const badDayPaths = new Set(dayFiles.map(({ record }) => record.path));
  const createJob = (files: readonly BadFile[], overrides: Partial<DownloadSettings> = {}): DownloadJob => ({
    client,
    plan: {
      options: { ...options, ...overrides },
      *files() {
        for (const sameDay of groupByDayFile(files).values())
          yield createPlannedFile(sameDay, badDayPaths, canRequest);
      },
    },
  });
  const conversions = [...groups.values()].map((files) => {
    const convert = files[0]?.conversion?.options as unknown as ContentOptions;
    const outputSelection = parseOutputSelection(
      files.map(({ conversion }) => conversion?.computed ?? ROWS_WORD),
      convert,
    );
    return createJob(files, {
      convert: { options: convert, outputSelection, keepCsv: !files[0]?.record.dropped, threads },
    });
  });
  return dayFiles.length === 0 ? conversions : [createJob(dayFiles), ...conversions];
}

/**
 * @param files one day file, or bad conversions of it.
 * @param badDayPaths paths of day files that cannot be converted because they are bad.
 */
function createPlannedFile(
  files: readonly BadFile[],
  badDayPaths: ReadonlySet<string>,
  canRequest: CanRequest,
): PlannedFile {
  const [{ record }] = files as [BadFile];
  const { file, path, dropped } = record;
  const outputs = files.flatMap(({ conversion }) => (conversion ? [toPlannedOutput(conversion)] : []));
  const planned = { file, path, outputs, mayBeAbsent: false };
  if (outputs.length > 0 && !dropped && (!badDayPaths.has(path) || canRequest(file)))
    return { ...planned, status: 'download', action: 'check' };
  if (canRequest(file)) return { ...planned, status: 'download', action: 'fetch' };
  return { ...planned, status: 'unauthorized', action: 'nothing' };
}

function toPlannedOutput({ path, computed, options }: ConversionEntry): PlannedOutput {
  if (computed === undefined) return { path, type: undefined };
  return { path, type: withBarRules(parseComputedTypeName(computed), options as BarRules) };
}

function filePath({ record, conversion }: BadFile): string {
  return conversion?.path ?? record.path;
}

function explainFailure(status: FileStatus, keyProblem: KeyProblem | undefined): string {
  if (status === 'unavailable') return 'the service does not have it';
  if (status !== 'unauthorized') return status;
  if (keyProblem === 'missing') return 'it needs an API key, set TICKHAUL_API_KEY';
  return keyProblem === 'expired' ? 'the API key has expired' : 'the API key does not cover it';
}

function isRepaired({ status }: FileEvent): boolean {
  return status === 'downloaded' || status === 'verified';
}

/** @param dayFileEvent the event of the repaired day file. */
function createRepairedEvent(
  { event, record, conversion }: BadFile,
  dayFileEvent: FileEvent,
  manifest: Manifest,
): FileEvent {
  const { file, path, source } = event;
  const { attempts, seconds, md5, md5Match } = dayFileEvent;
  const converted = manifest.get(record.path)?.conversions?.find((entry) => entry.path === conversion?.path);
  const { bytes, rows } = converted ?? dayFileEvent;
  const base = {
    event: 'file',
    status: 'repaired',
    file,
    path,
    source,
    bytes,
    rows,
    attempts,
    seconds,
  } as const;
  return conversion ? base : { ...base, md5, md5Match };
}

/** The original event, with the reason in its message. */
function createUnrepairedEvent({ event }: BadFile, reason: string): FileEvent {
  const { error } = event;
  return error
    ? { ...event, error: { ...error, message: `${error.message}; repairing it failed: ${reason}` } }
    : event;
}
