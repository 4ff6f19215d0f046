import { usageError } from '../base/errors.js';
import type { OutputTarget } from '../base/output-target.js';
import { secondsSince } from '../base/units.js';
import { reportedOutputs } from '../download/conversion/reported-outputs.js';
import type { ConvertSetting, DownloadOptions } from '../download/download-options.js';
import { countPlan, type PlanTotals } from '../download/plan/create-download-plan.js';
import { describePlan } from '../download/plan/report-plan.js';
import { type FileJson, type PlanJson, toFileJson, toPlanJson } from '../run/json-events.js';
import type { EventSink, PlanCounts, PlanEvent, RunSummary } from '../run/run-events.js';
import type { Destination } from '../store/destination.js';
import type { StoreSettings } from '../store/files.js';
import { isObjectLocation } from '../store/location.js';
import type { Manifest } from '../store/manifest/manifest.js';
import { openFiles } from '../store/open-files.js';
import { writeTextsAt } from '../store/read-write-at.js';
import type { CommandArgs } from './arguments/command-args.js';
import { readFileLocation } from './arguments/read-arguments.js';
import type { CommandHost } from './command-host.js';
import type { RunObserver } from './command-run.js';
import { readOutputFile } from './output-file.js';
import {
  createDownloadOptions,
  type DownloadTarget,
  type OpenedTarget,
  openDownloadTarget,
  readDownloadTarget,
} from './selection/download-target.js';
import { readStallTimeout } from './selection/read-selection.js';
import { withServiceSession } from './service-session.js';
import { readStoreSettings, withDestination } from './with-destination.js';

/** A plan to be looked at; nothing of it is done. */
export interface OpenedPlanReport extends Pick<OpenedTarget, 'plan' | 'keyExpired'> {
  /** What it comes to; warns where the disk can't hold it. */
  describe(totals: PlanTotals): Promise<PlanEvent>;
  runExitCode(counts: PlanCounts): number;
  /** What is made of its files. */
  readonly convert: ConvertSetting | undefined;
  /** A reading of `performance.now()` at the beginning. */
  readonly began: number;
  /** Of a sync, the job that it is the plan of. */
  readonly job?: string | undefined;
}

/** Opens a plan whose options were read and found right, for some work with it. */
export type PlanRun = <T>(teller: RunObserver, work: (shown: OpenedPlanReport) => Promise<T>) => Promise<T>;

/** What `downloadCommand` with the same options would do. @throws usage error. */
export async function preparePlan(args: CommandArgs, host: CommandHost): Promise<PlanRun> {
  const wanted = await readDownloadTarget(args, host, 'plan');
  const stallTimeoutMs = readStallTimeout(args);
  const pin = readFileLocation(args, 'pin');
  if (pin === '-') throw usageError('--pin writes a file; name it, as --pin plan.json');
  const target = pin === undefined || isObjectLocation(pin) ? pin : await readOutputFile(args, 'pin');
  const store = await readStoreSettings(args, host, [pin]);
  const { signal } = host;
  return ({ emit, note }, work) => {
    const began = performance.now();
    return withServiceSession(args, host, { stallTimeoutMs, note }, (session) =>
      withDestination(session.settings, { stallTimeoutMs, signal }, async (destination) => {
        const options = createDownloadOptions(wanted, args);
        const opened = await openDownloadTarget(wanted, { session, destination, options, emit, signal });
        await opened.manifest.close();
        if (target !== undefined) await writePin(target, store, wanted, opened, host);
        return work(shownPlan({ ...opened, destination, options, emit, began }));
      }),
    );
  };
}

export interface ShownPlanInput extends Pick<OpenedPlanReport, 'plan' | 'keyExpired' | 'began' | 'job'> {
  readonly destination: Destination;
  readonly manifest: Manifest;
  readonly options: DownloadOptions;
  readonly emit: EventSink;
}

/** A plan that was worked out, with what is to be shown of it. */
export function shownPlan({ plan, keyExpired, began, job, ...input }: ShownPlanInput): OpenedPlanReport {
  const { options, emit } = input;
  return {
    plan,
    keyExpired,
    began,
    job,
    convert: options.convert,
    async describe(totals) {
      const described = await describePlan(input, [{ totals, options }]);
      if (described.shortage !== undefined) emit({ event: 'warning', message: described.shortage });
      return described.plan;
    },
    runExitCode: ({ pending, unavailable }) => (options.strict && pending + unavailable > 0 ? 7 : 0),
  };
}

/** What a plan comes to, as the summary of a run that did nothing of it. */
export function planSummary(shown: OpenedPlanReport, { counts: all }: PlanTotals): RunSummary {
  const { files: _, ...statuses } = all;
  const counts = Object.fromEntries(Object.entries(statuses).filter(([, count]) => count > 0));
  const exitCode = shown.runExitCode(all);
  const { keyExpired } = shown;
  const summary = { exitCode, counts, unfinished: 0, bytes: 0, seconds: secondsSince(shown.began) };
  return { ...summary, ...(keyExpired && { keyExpired }) };
}

/**
 * Writes what the plan was worked out of; a list, which names its files, is refused before.
 * @param target a location in an object store, or an output of this machine.
 */
async function writePin(
  target: string | OutputTarget,
  store: StoreSettings | undefined,
  { selection }: DownloadTarget,
  { plan, record }: OpenedTarget,
  host: CommandHost,
): Promise<void> {
  if (!selection || !record || !('range' in plan)) return;
  const { formatPin, createPin } = await import('../download/lists/pinned-plan.js');
  const texts = formatPin(createPin(selection, record, plan));
  if (typeof target !== 'string') {
    const { writeOutput } = await import('../base/write-output.js');
    return writeOutput(target, texts, host);
  }
  const files = openFiles(store);
  await writeTextsAt(files, target, texts, host.signal).finally(() => files.close());
}

/** A plan as `--json` has it. */
export interface PlanReport {
  readonly plan: PlanJson;
  files(): Iterable<FileJson>;
  /** Once they are told. */
  summary(): RunSummary;
}

/** Begins with the counts, and so walks over the files once before. @throws the reason of an abort. */
export async function createPlanReport(shown: OpenedPlanReport, signal: AbortSignal): Promise<PlanReport> {
  const totals = await countPlan(shown.plan, signal);
  return {
    plan: toPlanJson(await shown.describe(totals), shown.job),
    files: () => filesOf(shown),
    summary: () => planSummary(shown, totals),
  };
}

function* filesOf({ plan, convert, job }: OpenedPlanReport): Generator<FileJson> {
  for (const { file, path, outputs, status } of plan.files()) {
    yield toFileJson({ event: 'file', job, file, path, ...reportedOutputs(outputs, convert), status });
  }
}
