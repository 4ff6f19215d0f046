import { type SummaryJson, toSummaryJson } from '../events/json-events.js';
import type { RunSummary } from '../events/run-events.js';
import { type Operation, withContext } from '../operations/context.js';
import type { OpenedPlanReport } from '../operations/plan-download.js';
import { COMMAND_OPTIONS, PLANNED_OPTIONS } from '../options/command-options.js';
import { type OptionGroup, settingNameOf } from '../options/option-definition.js';
import { type CommandValues, readCommandOptions } from '../options/read-options.js';
import { type EventCall, type LibraryEvent, startEventRun } from './event-run.js';
import type {
  AuditOptions,
  ConvertOptions,
  DownloadOptions,
  ExportOptions,
  PlanOptions,
  SyncOptions,
  VerifyOptions,
} from './function-options.js';
import { OPTION_TABLES } from './options-to-args.js';
import { type Run, toJsonValue } from './start-run.js';

/**
 * Downloads day files, verifies each completely, and records them in the manifest, like `tickhaul download`.
 * @returns a promise of the summary, and an async iterable of the events.
 * @throws TickhaulError, from both, if the command would not end with exit code 0.
 */
export function download(options: DownloadOptions): Run<LibraryEvent, SummaryJson> {
  return startEventRun(OPTION_TABLES.download, options, async (call) => {
    if (call.args['dry-run'] === true) return runPlan(call);
    const { runDownload } = await import('../operations/download.js');
    return runOperation(call, COMMAND_OPTIONS.download, runDownload);
  });
}

/**
 * Plans what `download` with the same options would do, file by file, and downloads nothing, like `tickhaul
 * plan`.
 */
export function plan(options: PlanOptions): Run<LibraryEvent, SummaryJson> {
  return startEventRun(OPTION_TABLES.plan, options, runPlan);
}

/** Sends the files at the reader's pace, since there may be millions. */
async function runPlan(call: EventCall): Promise<SummaryJson> {
  const { planDownload } = await import('../operations/plan-download.js');
  return runOperation(call, PLANNED_OPTIONS, async (options, context) =>
    sendPlan(await planDownload(options, context), call),
  );
}

/** Reads the options of a call and runs an operation with them. */
async function runOperation<Options extends OptionGroup>(
  { args, host, emit }: EventCall,
  group: Options,
  operation: Operation<CommandValues<Options>>,
): Promise<SummaryJson> {
  const options = readCommandOptions(group, args, settingNameOf);
  return toSummaryJson(await withContext(options, host, { emit }, (context) => operation(options, context)));
}

async function sendPlan(
  openedPlan: OpenedPlanReport,
  { host, feed }: Pick<EventCall, 'host' | 'feed'>,
): Promise<RunSummary> {
  const { createPlanReport } = await import('../operations/plan-download.js');
  const report = await createPlanReport(openedPlan, host.signal);
  feed.push(toJsonValue(report.plan));
  await feed.send(toJsonValues(report.files()));
  host.signal.throwIfAborted();
  return report.summary();
}

function* toJsonValues<T extends object>(values: Iterable<T>): Generator<T> {
  for (const value of values) yield toJsonValue(value);
}

/** Downloads the missing files of every job in a config file, like `tickhaul sync`. */
export function sync(options: SyncOptions = {}): Run<LibraryEvent, SummaryJson> {
  return startEventRun(OPTION_TABLES.sync, options, async (call) => {
    const { planSync, runSync } = await import('../operations/sync.js');
    return runOperation(call, COMMAND_OPTIONS.sync, (values, context) =>
      values.dryRun
        ? planSync(values, context, (openedPlan) => sendPlan(openedPlan, call))
        : runSync(values, context),
    );
  });
}

/** Checks downloaded files against the manifest and their own checksums, like `tickhaul verify`. */
export function verify(options: VerifyOptions = {}): Run<LibraryEvent, SummaryJson> {
  return startEventRun(OPTION_TABLES.verify, options, async (call) => {
    const { runVerify } = await import('../operations/verify.js');
    return runOperation(call, COMMAND_OPTIONS.verify, runVerify);
  });
}

/** Checks the contents of day files, and judges each day, like `tickhaul audit`. */
export function audit(options: AuditOptions = {}): Run<LibraryEvent, SummaryJson> {
  return startEventRun(OPTION_TABLES.audit, options, async (call) => {
    const { runAudit } = await import('../operations/audit.js');
    return runOperation(call, COMMAND_OPTIONS.audit, runAudit);
  });
}

/** Converts day files to Parquet, NDJSON, Arrow or CSV, like `tickhaul convert`. */
export function convert(options: ConvertOptions): Run<LibraryEvent, SummaryJson> {
  return startEventRun(OPTION_TABLES.convert, options, async (call) => {
    const { runConvert } = await import('../operations/convert.js');
    return runOperation(call, COMMAND_OPTIONS.convert, runConvert);
  });
}

/** Writes day files in the input format of a backtester, like `tickhaul export`. The library calls it `export`. */
export function exportDayFiles(options: ExportOptions): Run<LibraryEvent, SummaryJson> {
  return startEventRun(OPTION_TABLES.export, options, async (call) => {
    const { runExport } = await import('../operations/export.js');
    return runOperation(call, COMMAND_OPTIONS.export, runExport);
  });
}
