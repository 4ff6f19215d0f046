import { plural } from '../../base/units.js';
import type { PlannedFile } from '../../download/types.js';
import type { EventSink, PlanCounts, PlanStatus } from '../../run/events.js';
import { CONVERT_ON_ARRIVAL_FLAGS, DOWNLOAD_FLAGS, LIST_FLAGS, SELECTION_FLAGS } from '../arguments/flags.js';
import { readToggle } from '../arguments/read.js';
import type { Action } from '../arguments/types.js';
import { fileObject, line, planObject, summaryLine } from '../output/run/json.js';
import { printLines } from '../output/text/blocks.js';
import { readStallTimeout } from '../selection/selection.js';
import { withSession } from '../session.js';

export const plan: Action = {
  positionals: { exchange: { type: 'string', describe: 'exchange id, as tickhaul exchanges lists them' } },
  flags: { ...SELECTION_FLAGS, ...DOWNLOAD_FLAGS, ...CONVERT_ON_ARRIVAL_FLAGS, ...LIST_FLAGS },
  examples: [
    ['$0 plan deribit -t trades -s BTC-PERPETUAL --last 7d', 'the last seven exported days of a symbol'],
    ['$0 plan binance-futures -t all -s "*USDT" --last 1d --json', 'the newest day, one JSON object a line'],
  ],
  async run(args, cli) {
    const json = readToggle(args, 'json');
    const began = performance.now();
    const { openWanted, optionsFor, readWanted } = await import('../selection/wanted.js');
    const wanted = await readWanted(args, cli);
    const stallTimeoutMs = readStallTimeout(args);
    return withSession(args, cli, { stallTimeoutMs }, async (session) => {
      const { countPlan, emptyCounts } = await import('../../download/plan/plan.js');
      const options = optionsFor(wanted, args, session.settings.downloadDir);
      const { signal } = cli;
      const emit: EventSink = (event) => {
        if (event.event === 'warning') cli.stderr.write(`warning ${event.message}\n`);
      };
      const opening = { session, options, signal, emit };
      const { plan: opened, manifest } = await openWanted(wanted, opening);
      await manifest.close();
      // JSON begins with the counts, and so walks over the files twice.
      const told = json ? await countPlan(opened.files(), signal) : undefined;
      if (told) cli.stdout.write(line(planObject({ event: 'plan', ...told })));
      const tally = emptyCounts();
      await printLines(cli.stdout, describeFiles(opened.files(), tally, json ? jsonLine : textLine), signal);
      const counts = told ?? tally;
      const exitCode = options.strict && counts.pending + counts.unavailable > 0 ? 7 : 0;
      if (json) {
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

type Counts = Record<PlanStatus | 'files', number>;

/** Counts the files as it goes. */
function* describeFiles(
  files: Iterable<PlannedFile>,
  counts: Counts,
  describe: (file: PlannedFile) => string,
): Generator<string> {
  for (const file of files) {
    counts.files++;
    counts[file.status]++;
    yield describe(file);
  }
}

function jsonLine({ file, path, output, status }: PlannedFile): string {
  return line(fileObject({ event: 'file', file, path, output, status }));
}

function textLine({ status, path }: PlannedFile): string {
  return `${status.padEnd('unauthorized'.length)}  ${path}\n`;
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
  return `${plural(counts.files, 'file')}${parts.length === 0 ? '' : `: ${parts.join(', ')}`}`;
}
