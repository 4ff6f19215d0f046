import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname } from 'node:path';
import { toDiskError } from '../base/errors.js';
import { findOutput, type OutputTarget, writeOutput } from '../base/output-sink.js';
import type { PlacedFiles } from '../download/plan/listed-plan.js';
import { toFileJson, toJsonLine } from '../events/json-events.js';
import type { EventSink, RunSummary } from '../events/run-events.js';
import type { COMMAND_OPTIONS } from '../options/command-options.js';
import type { CommandValues } from '../options/read-options.js';
import { type Context, createLockOwner } from './context.js';
import {
  createDownloadSettings,
  openDownloadTarget,
  readDownloadTarget,
} from './selection/download-target.js';
import { readExportSetting } from './selection/read-export-setting.js';

/** `download`: downloads the day files of a selection or of a list. */
export async function runDownload(
  options: CommandValues<typeof COMMAND_OPTIONS.download>,
  context: Context,
): Promise<RunSummary> {
  const { signal } = context;
  const target = await readDownloadTarget(options, context, 'download');
  const settings = createDownloadSettings(target, options);
  const failedTo = await findOutput('failed-to', options.failedTo);
  const exportSetting = await readExportSetting(options);
  const { cacheDir: cache } = await context.settings();
  const client = await context.client();
  const destination = await context.destination();
  const recordFailure = failedTo && (await openFailureList(failedTo, target.list?.files, context));
  const shared = { client, cache, destination, options: settings, emit: context.emit, signal };
  const [openedTarget, { runDownloadPlan }] = await Promise.all([
    openDownloadTarget(target, { ...shared, exportSetting }),
    client.requestsStarted().then(() => import('../download/run-download-jobs.js')),
  ]);
  const owner = createLockOwner(context);
  const lockedPaths = target.list?.isFrozen ? target.list.files : undefined;
  const input = { ...openedTarget, ...shared, owner, lockedPaths, askForSpace: context.askForSpace?.() };
  const run = async (observed: EventSink): Promise<RunSummary> => {
    const emit: EventSink = (event) => {
      recordFailure?.(event);
      observed(event);
    };
    if (!options.audit) return runDownloadPlan({ ...input, emit });
    const { runAudited } = await import('./run-audited.js');
    return runAudited(shared, (audits) => runDownloadPlan({ ...input, emit, audits }));
  };
  if (!exportSetting) return run(context.emit);
  const { runWithExports } = await import('./run-with-exports.js');
  return runWithExports(shared, new Map([[undefined, exportSetting]]), run);
}

/**
 * Writes the failed day files as JSON lines (`--failed-to`) at the end of the run, whatever ends it. An empty file means
 * that no file failed.
 * @param listed day files of `--from-file`. Those that the run does not reach are written too, because the list may
 * replace the file they were read from.
 * @returns a function that receives the events of the downloads.
 * @throws TickhaulError `disk` if the list cannot be written, at once if that can be detected.
 */
async function openFailureList(
  target: OutputTarget,
  listed: PlacedFiles | undefined,
  context: Context,
): Promise<EventSink> {
  await assertWritable(target);
  const lines: string[] = [];
  const remaining = new Map(listed);
  context.defer(async () => {
    for (const { file, path, refusal = 'download' } of remaining.values()) {
      lines.push(toJsonLine(toFileJson({ event: 'file', file, path, status: refusal })));
    }
    await writeOutput(target, lines, context);
  });
  return (event) => {
    if (event.event !== 'file') return;
    remaining.delete(event.source ?? event.path);
    if (event.status === 'failed') lines.push(toJsonLine(toFileJson(event)));
  };
}

async function assertWritable(target: OutputTarget): Promise<void> {
  if (target.kind === 'descriptor') return;
  const path = target.kind === 'file' ? dirname(target.path) : target.name;
  await access(path, constants.W_OK).catch((error: unknown) => {
    throw toDiskError(error, target.name, 'disk');
  });
}
