import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PlannedFile } from '../../download/types.js';
import { abortReason } from '../../errors.js';
import type { EventSink, PlanCounts, PlanStatus } from '../../events.js';
import { DOWNLOAD_FLAGS, SELECTION_FLAGS } from '../flags.js';
import { fileObject, line, planObject, summaryLine } from '../output/json.js';
import { readToggle } from '../read.js';
import { readDownloadOptions, readSelection, readStallTimeout } from '../selection.js';
import { withSession } from '../session.js';
import type { Cli, Command } from '../types.js';

/** Files between two looks at signals and closed pipes. */
const TURN = 1000;

export const plan: Command = {
  syntax: 'plan <exchange>',
  describe: 'show what download with the same flags would do, file by file',
  positionals: { exchange: { type: 'string', describe: 'exchange id, as tickhaul exchanges lists them' } },
  flags: { ...SELECTION_FLAGS, ...DOWNLOAD_FLAGS },
  examples: [
    ['$0 plan deribit -t trades -s BTC-PERPETUAL --from 2024-03-01 --to 2024-03-08', 'a week of one symbol'],
    ['$0 plan binance -t all -s "*USDT" --last 1d --json', 'the newest day, one JSON object a line'],
  ],
  working: true,
  async run(args, cli) {
    const json = readToggle(args, 'json');
    const began = performance.now();
    const selection = await readSelection(args);
    const stallTimeoutMs = readStallTimeout(args);
    return withSession(args, cli, { stallTimeoutMs }, async ({ client, settings }) => {
      const { openPlan } = await import('../../download/run.js');
      const options = readDownloadOptions(args, settings.downloadDir);
      const { signal } = cli;
      const emit: EventSink = (event) => {
        if (event.event === 'warning') cli.stderr.write(`warning ${event.message}\n`);
      };
      const { plan: opened, manifest } = await openPlan({
        client,
        cache: settings.cacheDir,
        selection,
        options,
        signal,
        emit,
      });
      await manifest.close();
      const counts = await countFiles(opened, cli, json ? undefined : printFile(cli));
      const exitCode = options.strict && counts.pending + counts.unavailable > 0 ? 7 : 0;
      if (json) {
        cli.stdout.write(line(planObject({ event: 'plan', ...counts })));
        await countFiles(opened, cli, (file) =>
          cli.stdout.write(line(fileObject({ event: 'file', ...file }))),
        );
        const { files: _, ...statuses } = counts;
        const occurred = Object.fromEntries(Object.entries(statuses).filter(([, count]) => count > 0));
        const seconds = (performance.now() - began) / 1000;
        cli.stdout.write(summaryLine({ exitCode, counts: occurred, unfinished: 0, bytes: 0, seconds }));
      } else if (!readToggle(args, 'quiet')) {
        cli.stderr.write(`${countsText(counts)}\n`);
      }
      return exitCode;
    });
  },
};

interface Files {
  files(): Iterable<PlannedFile> | AsyncIterable<PlannedFile>;
}

/** Walks over the plan's files once. */
async function countFiles(
  opened: Files,
  { signal }: Cli,
  visit?: (file: PlannedFile) => void,
): Promise<PlanCounts> {
  const counts = { files: 0, download: 0, skip: 0, resume: 0, pending: 0, unavailable: 0, unauthorized: 0 };
  for await (const file of opened.files()) {
    counts.files++;
    counts[file.status]++;
    visit?.(file);
    if (counts.files % TURN === 0) await nextTurn();
    if (signal.aborted) throw abortReason(signal);
  }
  return counts;
}

function printFile({ stdout }: Cli): (file: PlannedFile) => void {
  return ({ status, path }) => stdout.write(`${status.padEnd('unauthorized'.length)}  ${path}\n`);
}

const STATUSES: readonly PlanStatus[] = [
  'download',
  'resume',
  'skip',
  'pending',
  'unavailable',
  'unauthorized',
];

function countsText(counts: PlanCounts): string {
  const parts = STATUSES.filter((status) => counts[status] > 0).map(
    (status) => `${counts[status]} ${status}`,
  );
  return `${counts.files} files${parts.length === 0 ? '' : `: ${parts.join(', ')}`}`;
}
