import type { CommandArgs } from './arguments/command-args.js';
import type { CommandHost } from './command-host.js';
import type { CommandRun } from './command-run.js';
import { createLockOwner } from './create-lock-owner.js';
import { readOutputFile } from './output-file.js';
import {
  createDownloadOptions,
  openDownloadTarget,
  readDownloadTarget,
} from './selection/download-target.js';
import { readStallTimeout } from './selection/read-selection.js';
import { withFailureList } from './selection/with-failure-list.js';
import { withServiceSession } from './service-session.js';
import { withDestination } from './with-destination.js';

/** What a selection or a list names, brought to disk (contract, Download). @throws usage error. */
export async function prepareDownload(args: CommandArgs, host: CommandHost): Promise<CommandRun> {
  const wanted = await readDownloadTarget(args, host, 'download');
  const stallTimeoutMs = readStallTimeout(args);
  const failedTo = await readOutputFile(args, 'failed-to');
  const { signal } = host;
  return ({ emit: tell, note, askForSpace }) =>
    withServiceSession(args, host, { stallTimeoutMs, note }, (session) =>
      withDestination(session.settings, { stallTimeoutMs, signal }, (destination) =>
        withFailureList(failedTo, host, wanted.list?.files, tell, async (emit) => {
          const options = createDownloadOptions(wanted, args);
          const about = { client: session.client, destination, options, emit, signal };
          const opened = await openDownloadTarget(wanted, { ...about, session });
          const { downloadPlan } = await import('../download/download-plan.js');
          const owner = createLockOwner(host);
          const summary = await downloadPlan({ ...opened, ...about, owner, askForSpace });
          const named = wanted.list?.isFrozen && !summary.error ? wanted.list.files : undefined;
          if (!named) return summary;
          const { reportExtraFiles } = await import('../download/lists/report-extra-files.js');
          return reportExtraFiles(summary, { ...about, named });
        }),
      ),
    );
}
