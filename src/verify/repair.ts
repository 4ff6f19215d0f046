import type { ConvertOptions } from '../convert/options.js';
import { type DownloadJob, runJobs } from '../download/jobs.js';
import type { DownloadOptions, PlannedFile } from '../download/types.js';
import type { EventSink, FileEvent, FileStatus, RunSummary } from '../events.js';
import type { Client } from '../service/client.js';
import { fetchMayRead, type MayRead } from '../service/key-coverage.js';
import type { BadFile, Repair } from './types.js';

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
    const summaries = await runJobs(
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
      jobsOf(bad, input, await fetchMayRead(input.client, signal)),
    );
    if (signal.aborted) return;
    const why = summaries.map((summary: RunSummary) => summary.error?.message).find(Boolean) ?? 'not tried';
    for (const file of left.values()) tell(unhelped(file, why));
  };
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
  const jobOf = (files: readonly BadFile[], more: Partial<DownloadOptions> = {}): DownloadJob => ({
    client,
    options: { ...options, ...more },
    plan: {
      *files() {
        for (const file of files) yield plannedFile(file, mayRead);
      },
    },
  });
  const conversions = [...groups.values()].map((files) => {
    const convert = files[0]?.conversion?.options as unknown as ConvertOptions;
    return jobOf(files, { convert: { options: convert, keepCsv: !files[0]?.record.dropped, threads } });
  });
  return days.length === 0 ? conversions : [jobOf(days), ...conversions];
}

function plannedFile({ record, conversion }: BadFile, mayRead: MayRead): PlannedFile {
  const { file, path, dropped } = record;
  const planned = { file, path, output: conversion?.path, mayBeAbsent: false };
  if (conversion && !dropped) return { ...planned, status: 'download', action: 'check' };
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
