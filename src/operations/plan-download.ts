import { ERROR_TABLE, type FileError, usageError } from '../base/errors.js';
import { findOutput, type OutputTarget, writeOutput } from '../base/output-sink.js';
import { secondsSince } from '../base/units.js';
import type { ConvertSetting } from '../download/download-options.js';
import { reportedOutputs } from '../download/plan/planned-paths.js';
import { countPlan, describePlan, type PlanTotals } from '../download/plan/report-plan.js';
import { type FileJson, type PlanJson, toFileJson, toPlanJson } from '../events/json-events.js';
import type { EventSink, PlanCounts, PlanEvent, RunSummary } from '../events/run-events.js';
import { describeRequiredDays } from '../events/run-tally.js';
import type { PLANNED_OPTIONS } from '../options/command-options.js';
import type { CommandValues } from '../options/read-options.js';
import type { Destination } from '../store/destination.js';
import { writeTextsAt } from '../store/files.js';
import { isObjectLocation } from '../store/location.js';
import type { Manifest } from '../store/manifest/manifest.js';
import type { Context } from './context.js';
import {
  createDownloadSettings,
  type DownloadTarget,
  type OpenedTarget,
  openDownloadTarget,
  readDownloadTarget,
} from './selection/download-target.js';
import { readExportSetting } from './selection/read-export-setting.js';

/** An open plan, for display only. */
export interface OpenedPlanReport extends Pick<OpenedTarget, 'plan' | 'keyProblem'> {
  /** Computes the plan event; warns if the disk is too small. */
  describe(totals: PlanTotals): Promise<PlanEvent>;
  /** Why the plan makes the command fail; undefined if it does not. */
  findReason(counts: PlanCounts): FileError | undefined;
  /** Conversion of the files. */
  readonly convert: ConvertSetting | undefined;
  /** Reading of `performance.now()` at the start. */
  readonly startedAtMs: number;
  /** Job of a sync that the plan belongs to. */
  readonly job?: string | undefined;
}

/** `plan`: computes what `download` with the same options would do, and saves the plan with `--pin`. */
export async function planDownload(
  options: CommandValues<typeof PLANNED_OPTIONS>,
  context: Context,
): Promise<OpenedPlanReport> {
  const startedAtMs = performance.now();
  const { emit, signal } = context;
  const target = await readDownloadTarget(options, context, 'plan');
  const settings = createDownloadSettings(target, options);
  const exportSetting = await readExportSetting(options);
  const { pin } = options;
  if (pin === '-') throw usageError('--pin needs a file name, such as --pin plan.json');
  const pinTarget = pin === undefined || isObjectLocation(pin) ? pin : await findOutput('pin', pin);
  const { cacheDir: cache } = await context.settings();
  const client = await context.client();
  const destination = await context.destination();
  const opened = await openDownloadTarget(target, {
    ...{ client, cache, destination, options: settings, exportSetting, emit, signal },
  });
  await opened.manifest.close();
  if (pinTarget !== undefined) await writePin(pinTarget, target, opened, context);
  return createOpenedPlanReport({ ...opened, destination, emit, startedAtMs });
}

export interface OpenedPlanInput
  extends Pick<OpenedPlanReport, 'plan' | 'keyProblem' | 'startedAtMs' | 'job'> {
  readonly destination: Destination;
  readonly manifest: Manifest;
  readonly emit: EventSink;
}

/** Combines an open plan with its description for display. */
export function createOpenedPlanReport({
  plan,
  keyProblem,
  startedAtMs,
  job,
  ...input
}: OpenedPlanInput): OpenedPlanReport {
  const { emit } = input;
  const { options } = plan;
  return {
    plan,
    keyProblem,
    startedAtMs,
    job,
    convert: options.convert,
    async describe(totals) {
      const described = await describePlan({ ...input, options }, [{ totals, options }]);
      if (described.shortage !== undefined) emit({ event: 'warning', message: described.shortage });
      return described.plan;
    },
    findReason: ({ pending, unavailable }) =>
      options.strict && pending + unavailable > 0 ? describeRequiredDays(pending + unavailable) : undefined,
  };
}

/** The summary of a plan, as if it had been run without doing anything. */
export function createPlanSummary(
  openedPlan: OpenedPlanReport,
  { counts: allCounts }: PlanTotals,
): RunSummary {
  const { files: _, ...statuses } = allCounts;
  const counts = Object.fromEntries(Object.entries(statuses).filter(([, count]) => count > 0));
  const reason = openedPlan.findReason(allCounts);
  const { keyProblem } = openedPlan;
  const summary = {
    exitCode: reason === undefined ? 0 : ERROR_TABLE[reason.code].exitCode,
    counts,
    ...(reason && { reasons: [reason] }),
    unfinished: 0,
    bytes: 0,
    seconds: secondsSince(openedPlan.startedAtMs),
  };
  return { ...summary, ...(keyProblem === 'expired' && { keyExpired: true }) };
}

/**
 * Writes a plan of a selection, with its inputs, for `--pinned`; `--pin` is rejected earlier for lists of files.
 * @param target a location in an object store, or a local output.
 */
async function writePin(
  target: string | OutputTarget,
  { selection }: DownloadTarget,
  { plan, record }: OpenedTarget,
  context: Context,
): Promise<void> {
  if (!selection || !record || !('range' in plan)) return;
  const { formatPin, createPin } = await import('../download/plan/pinned-plan.js');
  const chunks = formatPin(createPin(record, plan));
  if (typeof target !== 'string') return writeOutput(target, chunks, context);
  await writeTextsAt(await context.files(), target, chunks, context.signal);
}

/** A plan in the form of `--json`. */
export interface PlanReport {
  readonly plan: PlanJson;
  files(): Iterable<FileJson>;
  /** Call it after the files were reported. */
  summary(): RunSummary;
}

/**
 * Counts the files first, in a separate pass, since the report starts with the counts.
 * @throws the reason of an abort.
 */
export async function createPlanReport(
  openedPlan: OpenedPlanReport,
  signal: AbortSignal,
): Promise<PlanReport> {
  const totals = await countPlan(openedPlan.plan, signal);
  return {
    plan: toPlanJson(await openedPlan.describe(totals), openedPlan.job),
    files: () => generateFiles(openedPlan),
    summary: () => createPlanSummary(openedPlan, totals),
  };
}

function* generateFiles({ plan, convert, job }: OpenedPlanReport): Generator<FileJson> {
  for (const { file, path, outputs, status } of plan.files()) {
    yield toFileJson({ event: 'file', job, file, path, ...reportedOutputs(outputs, convert), status });
  }
}
