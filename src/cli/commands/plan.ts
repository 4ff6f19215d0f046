import { plural, secondsSince } from '../../base/units.js';
import type { PlanTotals } from '../../download/plan/plan.js';
import type { PlannedFile } from '../../download/types.js';
import type { EventSink, PlanCounts, PlanStatus } from '../../run/events.js';
import {
  CONVERT_ON_ARRIVAL_FLAGS,
  DOWNLOAD_FLAGS,
  LIST_FLAGS,
  PLAN_FLAGS,
  SELECTION_FLAGS,
} from '../arguments/flags.js';
import { readToggle } from '../../commands/arguments/read.js';
import type { Action, Args, Cli, Screen } from '../arguments/types.js';
import { estimateText } from '../output/plan/estimate.js';
import { fileObject, line, planObject, summaryLine } from '../output/run/json.js';
import { printLines } from '../output/text/blocks.js';
import { wrapPieces } from '../output/text/wrap.js';
import { readStallTimeout } from '../../commands/selection/selection.js';
import type { OpenedPlan } from '../../commands/selection/wanted.js';
import { withSession } from '../session.js';

export const plan: Action = {
  positionals: { exchange: { type: 'string', describe: 'exchange id, as tickhaul exchanges lists them' } },
  flags: {
    ...SELECTION_FLAGS,
    ...PLAN_FLAGS,
    ...DOWNLOAD_FLAGS,
    ...CONVERT_ON_ARRIVAL_FLAGS,
    ...LIST_FLAGS,
  },
  examples: [
    ['$0 plan deribit -t trades -s BTC-PERPETUAL --last 7d', 'the last seven exported days of a symbol'],
    ['$0 plan deribit -t trades -s BTC-PERPETUAL --last 7d --files', 'one line a file'],
    ['$0 plan binance-futures -t all -s "*USDT" --last 1d --json', 'the newest day, one JSON object a line'],
  ],
  async run(args, cli) {
    const json = readToggle(args, 'json');
    const began = performance.now();
    const { openWanted, optionsFor, readWanted } = await import('../../commands/selection/wanted.js');
    const wanted = await readWanted(args, cli);
    const stallTimeoutMs = readStallTimeout(args);
    return withSession(args, cli, { stallTimeoutMs }, async (session) => {
      const { countPlan } = await import('../../download/plan/plan.js');
      const { describePlan } = await import('../../download/plan/tell.js');
      const options = optionsFor(wanted, args, session.settings.downloadDir);
      const { signal } = cli;
      const emit: EventSink = (event) => {
        if (event.event === 'warning') cli.stderr.write(`warning ${event.message}\n`);
      };
      const opening = { session, options, signal, emit };
      const opened = await openWanted(wanted, opening);
      await opened.manifest.close();
      const describe = async (totals: PlanTotals): Promise<Described> => {
        const { plan, shortage } = await describePlan({ ...opened, options }, [{ totals, options }]);
        if (shortage !== undefined) emit({ event: 'warning', message: shortage });
        return plan;
      };
      const exitCodeOf = ({ pending = 0, unavailable = 0 }: Partial<PlanCounts>): number =>
        options.strict && pending + unavailable > 0 ? 7 : 0;
      if (json) {
        // JSON begins with the counts, and so walks over the files twice.
        const totals = await countPlan(opened.plan, signal);
        cli.stdout.write(line(planObject(await describe(totals))));
        await printLines(cli.stdout, linesOf(opened.plan.files(), jsonLine), signal);
        const { files: _, ...statuses } = totals.counts;
        const counts = Object.fromEntries(Object.entries(statuses).filter(([, count]) => count > 0));
        const exitCode = exitCodeOf(totals.counts);
        const seconds = secondsSince(began);
        const summary = { exitCode, counts, unfinished: 0, bytes: 0, seconds };
        const { keyExpired } = opened;
        cli.stdout.write(summaryLine({ ...summary, ...(keyExpired && { keyExpired }) }));
        return exitCode;
      }
      const totals = await printPlan(opened, args, cli);
      const described = await describe(totals);
      if (!readToggle(args, 'quiet')) {
        const why = opened.keyExpired && totals.counts.unauthorized > 0 ? ' (the API key has expired)' : '';
        const texts = [`${countsText(totals.counts)}${why}`, estimateText(described)].filter(
          (text) => text !== '',
        );
        const lines = texts.flatMap((text) => wrapPieces(text.split(' '), columnsOf(cli.stderr)));
        cli.stderr.write(`${lines.join('\n')}\n`);
      }
      return exitCodeOf(totals.counts);
    });
  },
};

type Described = Parameters<typeof planObject>[0];

/** Prints it for people, and counts it on the way. */
async function printPlan({ plan: opened }: OpenedPlan, args: Args, cli: Cli): Promise<PlanTotals> {
  const { stdout, signal } = cli;
  const { emptyTotals, totalled } = await import('../../download/plan/plan.js');
  const totals = emptyTotals();
  const files = totalled(opened, opened.inOrder(), totals);
  if (readToggle(args, 'files')) {
    await printLines(stdout, linesOf(files, textLine), signal);
    return totals;
  }
  const [{ seriesDays }, { planText }, { chalkFor }] = await Promise.all([
    import('../output/plan/series-days.js'),
    import('../output/plan/text.js'),
    import('../output/text/color.js'),
  ]);
  const chalk = chalkFor(stdout, cli.env, readToggle(args, 'no-color'));
  const columns = columnsOf(stdout);
  await printLines(stdout, planText(seriesDays(files, opened.sizeOf), { columns, chalk }), signal);
  return totals;
}

/** Elsewhere than on a terminal nothing is wrapped. */
function columnsOf({ isTTY, columns }: Screen): number {
  return isTTY === true ? columns || 80 : Number.POSITIVE_INFINITY;
}

function* linesOf(files: Iterable<PlannedFile>, format: (file: PlannedFile) => string): Generator<string> {
  for (const file of files) yield format(file);
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
