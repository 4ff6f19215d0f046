import type { EventSink, RunSummary } from '../events/run-events.js';
import type { COMMAND_OPTIONS } from '../options/command-options.js';
import type { CommandValues } from '../options/read-options.js';
import type { Context } from './context.js';
import { createLockOwner } from './create-lock-owner.js';
import { findOutput } from './output-file.js';
import {
  createDownloadSettings,
  openDownloadTarget,
  readDownloadTarget,
} from './selection/download-target.js';
import { openFailureList } from './selection/failure-list.js';
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
  const emit = failedTo ? await openFailureList(failedTo, target.list?.files, context) : context.emit;
  const shared = { client, cache, destination, options: settings, emit, signal };
  const [openedTarget, { runDownloadPlan }] = await Promise.all([
    openDownloadTarget(target, { ...shared, exportSetting }),
    client.requestsStarted().then(() => import('../download/run-download-plan.js')),
  ]);
  const owner = createLockOwner(context);
  const lockedPaths = target.list?.isFrozen ? target.list.files : undefined;
  const input = { ...openedTarget, ...shared, owner, lockedPaths, askForSpace: context.askForSpace?.() };
  const run = async (observed: EventSink): Promise<RunSummary> => {
    if (!options.audit) return runDownloadPlan({ ...input, emit: observed });
    const { runAudited } = await import('./run-audited.js');
    return runAudited(shared, (audits) => runDownloadPlan({ ...input, emit: observed, audits }));
  };
  if (!exportSetting) return run(emit);
  const { runWithExports } = await import('./run-with-exports.js');
  return runWithExports(shared, new Map([[undefined, exportSetting]]), run);
}
