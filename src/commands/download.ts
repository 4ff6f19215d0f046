import type { Args } from './arguments/args.js';
import { withDestination } from './destination.js';
import type { Host } from './host.js';
import { lockOwner } from './lock-owner.js';
import { readOutputFile } from './output-file.js';
import type { Run } from './run.js';
import { withFailureList } from './selection/failure-list.js';
import { readStallTimeout } from './selection/selection.js';
import { openWanted, optionsFor, readWanted } from './selection/wanted.js';
import { withSession } from './session.js';

/** What a selection or a list names, brought to disk (contract, Download). @throws usage error. */
export async function prepareDownload(args: Args, host: Host): Promise<Run> {
  const wanted = await readWanted(args, host, 'download');
  const stallTimeoutMs = readStallTimeout(args);
  const failedTo = await readOutputFile(args, 'failed-to');
  const { signal } = host;
  return ({ emit: tell, note, askForSpace }) =>
    withSession(args, host, { stallTimeoutMs, note }, (session) =>
      withDestination(session.settings, { stallTimeoutMs, signal }, (destination) =>
        withFailureList(failedTo, host, wanted.list?.files, tell, async (emit) => {
          const options = optionsFor(wanted, args);
          const about = { client: session.client, destination, options, emit, signal };
          const opened = await openWanted(wanted, { ...about, session });
          const { downloadPlan } = await import('../download/download-plan.js');
          const owner = lockOwner(host);
          const summary = await downloadPlan({ ...opened, ...about, owner, askForSpace });
          const named = wanted.list?.isFrozen && !summary.error ? wanted.list.files : undefined;
          if (!named) return summary;
          const { withExtras } = await import('../download/lists/extras.js');
          return withExtras(summary, { ...about, named });
        }),
      ),
    );
}
