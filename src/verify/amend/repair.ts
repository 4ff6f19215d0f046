import type { DownloadJob } from '../../download/job.js';
import { runJobs } from '../../download/jobs.js';
import type { DownloadOptions, PlannedFile } from '../../download/types.js';
import type { ConvertOptions } from '../../format/options.js';
import type { EventSink, FileEvent, FileStatus, RunSummary } from '../../run/events.js';
import type { Client } from '../../service/http/client.js';
import { fetchMayRead, type MayRead } from '../../service/key/key-coverage.js';
import type { Manifest } from '../../store/manifest/manifest.js';
import type { BadFile, Repair } from '../types.js';

export interface RepairInput {
  readonly client: Client;
  readonly options: Omit<DownloadOptions, 'convert'>;
  /** Threads that convert. */
  readonly threads: number;
  readonly emit: EventSink;
}

/**
 * Brings day files again, and makes conversions again, from what is on disk where that is whole. Each stands as it
 * was until the new one is verified.
 */
export function createRepair(input: RepairInput): Repair {
  const { options, emit } = input;
  return async (bad, manifest, tell, signal) => {
    const left = new Map(bad.map((file) => [keyOf(file), file]));
    const settle = (event: FileEvent): void => {
      // A conversion is told by itself, or with the day file that was fetched for it.
      const key = [event.output, event.path].find((path) => path !== undefined && left.has(path));
      const file = key === undefined ? undefined : left.get(key);
      if (!file || key === undefined) return;
      left.delete(key);
      tell(
        isHelped(event)
          ? repaired(file, event)
          : unhelped(file, event.error?.message ?? WHY[event.status] ?? event.status),
      );
    };
    const mayRead = await fetchMayRead(input.client, signal);
    const run = (files: readonly BadFile[]): Promise<readonly RunSummary[]> =>
      runJobs(
        {
          manifest,
          partSuffix: undefined,
          options,
          signal,
          emit(event) {
            if (event.event === 'file') settle(event);
            else if (event.event !== 'plan') emit(event);
          },
        },
        jobsOf(files, input, mayRead),
      );
    const summaries = [...(await run(bad))];
    const outdated = outdatedConversions(bad, manifest);
    for (const file of outdated) left.set(keyOf(file), file);
    summaries.push(...(await run(outdated)));
    if (signal.aborted) return;
    const why = summaries.map((summary: RunSummary) => summary.error?.message).find(Boolean) ?? 'not tried';
    for (const file of left.values()) tell(unhelped(file, why));
  };
}

/** Conversions that were whole, of day files that came again with other bytes than they had. */
function outdatedConversions(bad: readonly BadFile[], manifest: Manifest): readonly BadFile[] {
  const known = new Set(bad.map(keyOf));
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
function jobsOf(
  bad: readonly BadFile[],
  { client, options, threads }: RepairInput,
  mayRead: MayRead,
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
        for (const file of files) yield plannedFile(file, badDays, mayRead);
      },
    },
  });
  const conversions = [...groups.values()].map((files) => {
    const convert = files[0]?.conversion?.options as unknown as ConvertOptions;
    return jobOf(files, { convert: { options: convert, keepCsv: !files[0]?.record.dropped, threads } });
  });
  return days.length === 0 ? conversions : [jobOf(days), ...conversions];
}

/** @param badDays paths of day files that are no source for a conversion. */
function plannedFile(
  { record, conversion }: BadFile,
  badDays: ReadonlySet<string>,
  mayRead: MayRead,
): PlannedFile {
  const { file, path, dropped } = record;
  const planned = { file, path, output: conversion?.path, mayBeAbsent: false };
  if (conversion && !dropped && (!badDays.has(path) || mayRead(file)))
    return { ...planned, status: 'download', action: 'check' };
  if (mayRead(file)) return { ...planned, status: 'download', action: 'fetch' };
  return { ...planned, status: 'unauthorized', action: 'nothing' };
}

function keyOf({ record, conversion }: BadFile): string {
  return conversion?.path ?? record.path;
}

const WHY: Readonly<Partial<Record<FileStatus, string>>> = {
  unauthorized: 'it needs an API key, set TICKHAUL_API_KEY',
  unavailable: 'the service does not have it',
};

function isHelped({ status }: FileEvent): boolean {
  return status === 'downloaded' || status === 'converted' || status === 'verified';
}

function repaired({ event: { file, path, source } }: BadFile, event: FileEvent): FileEvent {
  const { bytes, md5, md5Match, rows, attempts, seconds } = event;
  return {
    event: 'file',
    status: 'repaired',
    file,
    path,
    source,
    bytes,
    rows,
    attempts,
    seconds,
    ...(!source && { md5, md5Match }),
  };
}

/** It is what it was, and the message says why. */
function unhelped({ event }: BadFile, why: string): FileEvent {
  const { error } = event;
  return error
    ? { ...event, error: { ...error, message: `${error.message}; repairing it failed: ${why}` } }
    : event;
}
