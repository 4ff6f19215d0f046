import type { EventSink, RunSummary } from '../events/run-events.js';
import type { CommandArgs } from './arguments/command-args.js';
import { readBooleanFlag } from './arguments/read-arguments.js';
import type { CommandHost } from './command-host.js';
import type { CommandRun } from './command-run.js';
import { createLockOwner } from './create-lock-owner.js';
import { readOutputFile } from './output-file.js';
import {
  createDownloadOptions,
  openDownloadTarget,
  readDownloadTarget,
} from './selection/download-target.js';
import { readExportSetting } from './selection/read-export-setting.js';
import { readStallTimeout } from './selection/read-selection.js';
import { withFailureList } from './selection/with-failure-list.js';
import { withServiceSession } from './service-session.js';
import { withDestination } from './with-destination.js';

/** Prepares `download` of a selection or a list. @throws usage error. */
export async function prepareDownload(args: CommandArgs, host: CommandHost): Promise<CommandRun> {
  const target = await readDownloadTarget(args, host, 'download');
  const stallTimeoutMs = readStallTimeout(args);
  const failedTo = await readOutputFile(args, 'failed-to');
  const exportSetting = await readExportSetting(args);
  const { signal } = host;
  return ({ emit: onEvent, note, askForSpace }) =>
    withServiceSession(args, host, { stallTimeoutMs, note }, (session) =>
      withDestination(session.settings, { stallTimeoutMs, signal }, (destination) =>
        withFailureList(failedTo, host, target.list?.files, onEvent, async (emit) => {
          const options = createDownloadOptions(target, args);
          const context = { client: session.client, destination, options, emit, signal };
          const [openedTarget, { downloadPlan }] = await Promise.all([
            openDownloadTarget(target, { ...context, session, exportSetting }),
            session.client.requestsStarted().then(() => import('../download/download-plan.js')),
          ]);
          const owner = createLockOwner(host);
          const lockedPaths = target.list?.isFrozen ? target.list.files : undefined;
          const input = { ...openedTarget, ...context, owner, lockedPaths, askForSpace };
          const audited = { ...context, cache: session.settings.cacheDir };
          const run = async (observed: EventSink): Promise<RunSummary> => {
            if (!readBooleanFlag(args, 'audit')) return downloadPlan({ ...input, emit: observed });
            const { runAudited } = await import('./run-audited.js');
            return runAudited(audited, (audits) => downloadPlan({ ...input, emit: observed, audits }));
          };
          if (!exportSetting) return run(emit);
          const { runWithExports } = await import('./run-with-exports.js');
          return runWithExports(audited, new Map([[undefined, exportSetting]]), run);
        }),
      ),
    );
}
