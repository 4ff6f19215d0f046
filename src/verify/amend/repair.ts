import { parseOutputSelection, ROWS_WORD } from '../../convert/output-selection.js';
import type { DownloadJob } from '../../download/download-job.js';
import type { DownloadOptions, PlannedFile, PlannedOutput } from '../../download/download-options.js';
import { runDownloadJobs } from '../../download/run-download-jobs.js';
import type { ConvertOptions } from '../../format/convert-options.js';
import { parseComputedTypeName } from '../../market/names/data-type-name.js';
import type { EventSink, FileEvent, FileStatus, RunSummary } from '../../run/run-events.js';
import type { ServiceClient } from '../../service/http/service-client.js';
import { type CanRequest, fetchKeyCoverage } from '../../service/key/key-coverage.js';
import type { Destination } from '../../store/destination.js';
import type { Manifest } from '../../store/manifest/manifest.js';
import type { ConversionEntry } from '../../store/manifest-record.js';
import type { BadFile, RepairFiles } from '../file-check.js';
import { groupByDayFile } from './group-by-day-file.js';

export interface RepairInput {
  readonly client: ServiceClient;
  readonly destination: Destination;
  readonly options: Omit<DownloadOptions, 'convert'>;
  /** Threads that convert. */
  readonly threads: number;
  readonly emit: EventSink;
}

/**
 * Brings day files again, and makes conversions again, from what is on disk where that is whole. Each stands as it
 * was until the new one is verified.
 */
export function createRepair(input: RepairInput): RepairFiles {
  const { destination, options, emit } = input;
  return async (bad, manifest, tell, signal) => {
    const warn = (message: string): void => emit({ event: 'warning', message });
    const { canRequest, keyExpired } = await fetchKeyCoverage(input.client, signal, warn);
    const left = new Map(bad.map((file) => [filePath(file), file]));
    const settle = (event: FileEvent): void => {
      // What is made of a day file is told with it.
      for (const path of [event.path, ...(event.outputs ?? [])]) {
        const file = left.get(path);
        if (!file || !left.delete(path)) continue;
        tell(
          isRepaired(event)
            ? createRepairedEvent(file, event, manifest)
            : createUnrepairedEvent(file, event.error?.message ?? explainFailure(event.status, keyExpired)),
        );
      }
    };
    const run = (files: readonly BadFile[]): Promise<readonly RunSummary[]> =>
      runDownloadJobs(
        {
          destination,
          manifest,
          partSuffix: undefined,
          options,
          signal,
          emit(event) {
            if (event.event === 'file') settle(event);
            else if (event.event !== 'plan') emit(event);
          },
        },
        createRepairJobs(files, input, canRequest),
      );
    const summaries = [...(await run(bad))];
    const outdated = findOutdatedConversions(bad, manifest);
    for (const file of outdated) left.set(filePath(file), file);
    summaries.push(...(await run(outdated)));
    if (signal.aborted) return;
    const why = summaries.map((summary: RunSummary) => summary.error?.message).find(Boolean) ?? 'not tried';
    for (const file of left.values()) tell(createUnrepairedEvent(file, why));
  };
}

/** Conversions that were whole, of day files that came again with other bytes than they had. */
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
        message: `${path}: was made of other bytes than ${source} holds now`,
      } as const;
      return [{ record, conversion, event: { event: 'file', status: 'corrupt', file, path, source, error } }];
    });
  });
}

/** Day files first, and then conversions, those of the same options together. */
function createRepairJobs(
  bad: readonly BadFile[],
  { client, options, threads }: RepairInput,
  mayRead: CanRequest,
): readonly DownloadJob[] {
  const days = bad.filter(({ conversion }) => !conversion);
  const groups = new Map<string, BadFile[]>();
  for (const file of bad) {
    if (!file.conversion) continue;
    const key = JSON.stringify([file.conversion.options, file.record.dropped]);
    groups.set(key, [...(groups.get(key) ?? []), file]);
  }
  const badDays = new Set(days.map(({ record }) => record.path));
  const jobOf = (files: readonly BadFile[], more: Partial<DownloadOptions> = {}): DownloadJob => ({
    client,
    options: { ...options, ...more },
    plan: {
      *files() {
        for (const same of groupByDayFile(files).values()) yield createPlannedFile(same, badDays, mayRead);
      },
    },
  });
  const conversions = [...groups.values()].map((files) => {
    const convert = files[0]?.conversion?.options as unknown as ConvertOptions;
    const wanted = parseOutputSelection(files.map(({ conversion }) => conversion?.computed ?? ROWS_WORD));
    return jobOf(files, {
      convert: { options: convert, outputSelection: wanted, keepCsv: !files[0]?.record.dropped, threads },
    });
  });
  return days.length === 0 ? conversions : [jobOf(days), ...conversions];
}

/**
 * @param same a day file, or bad conversions of one.
 * @param badDays paths of day files that are no source for a conversion.
 */
function createPlannedFile(
  same: readonly BadFile[],
  badDays: ReadonlySet<string>,
  mayRead: CanRequest,
): PlannedFile {
  const [{ record }] = same as [BadFile];
  const { file, path, dropped } = record;
  const outputs = same.flatMap(({ conversion }) => (conversion ? [toPlannedOutput(conversion)] : []));
  const planned = { file, path, outputs, mayBeAbsent: false };
  if (outputs.length > 0 && !dropped && (!badDays.has(path) || mayRead(file)))
    return { ...planned, status: 'download', action: 'check' };
  if (mayRead(file)) return { ...planned, status: 'download', action: 'fetch' };
  return { ...planned, status: 'unauthorized', action: 'nothing' };
}

function toPlannedOutput({ path, computed }: ConversionEntry): PlannedOutput {
  return { path, type: computed === undefined ? undefined : parseComputedTypeName(computed) };
}

function filePath({ record, conversion }: BadFile): string {
  return conversion?.path ?? record.path;
}

function explainFailure(status: FileStatus, keyExpired: boolean): string {
  if (status === 'unavailable') return 'the service does not have it';
  if (status !== 'unauthorized') return status;
  return keyExpired ? 'the API key has expired' : 'it needs an API key, set TICKHAUL_API_KEY';
}

function isRepaired({ status }: FileEvent): boolean {
  return status === 'downloaded' || status === 'verified';
}

/** @param helped the event of the day file. */
function createRepairedEvent({ event, record, conversion }: BadFile, helped: FileEvent, manifest: Manifest): FileEvent {
  const { file, path, source } = event;
  const { attempts, seconds, md5, md5Match } = helped;
  const made = manifest.get(record.path)?.conversions?.find((entry) => entry.path === conversion?.path);
  const { bytes, rows } = made ?? helped;
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

/** It is what it was, and the message says why. */
function createUnrepairedEvent({ event }: BadFile, why: string): FileEvent {
  const { error } = event;
  return error
    ? { ...event, error: { ...error, message: `${error.message}; repairing it failed: ${why}` } }
    : event;
}
