import { sanitizeForTerminal } from '../../base/text.js';
import { plural } from '../../base/units.js';
import type { PlannedFile } from '../../download/download-options.js';
import type { PlanTotals } from '../../download/plan/report-plan.js';
import { toJsonLine, toSummaryJson } from '../../events/json-events.js';
import type { PlanCounts, PlanStatus, RunSummary } from '../../events/run-events.js';
import { collectErrors, describeUncoveredDays } from '../../events/run-tally.js';
import type { OpenedPlanReport } from '../../operations/plan-download.js';
import { COMMAND_OPTIONS, PLANNED_OPTIONS } from '../../options/command-options.js';
import type { CommandValues } from '../../options/read-options.js';
import type { CliHost } from '../arguments/command.js';
import { defineCommand } from '../arguments/define-flags.js';
import { formatEstimate } from '../output/format-events.js';
import { formatRunError } from '../output/run/summary-builder.js';
import { textColumns } from '../output/text/screen.js';
import { wrapPieces } from '../output/text/width.js';
import { withOutputContext } from '../run-command.js';

export const planCommand = defineCommand(
  COMMAND_OPTIONS.plan,
  {
    examples: [
      ['$0 plan deribit -t trades -s BTC-PERPETUAL --last 7d', 'the last seven exported days of a symbol'],
      ['$0 plan deribit -t trades -s BTC-PERPETUAL --last 7d --files', 'print one line per file'],
      [
        '$0 plan binance-futures -t all -s "*USDT" --last 1d --json',
        'the newest day, one JSON object per line',
      ],
    ],
    run: showPlanOf,
  },
  PLANNED_OPTIONS,
);

/** Plans what the options of `plan`, or of `download`, select, and prints the plan. @returns the exit code. */
export async function showPlanOf(
  options: CommandValues<typeof PLANNED_OPTIONS>,
  cli: CliHost,
): Promise<number> {
  const { planDownload } = await import('../../operations/plan-download.js');
  return withOutputContext(options, cli, async (context) => {
    const summary = await showPlan(await planDownload(options, context), options, cli);
    return finishPlan(summary, cli);
  });
}

/** Prints why a plan fails, and with `--json` its summary. @returns the exit code. */
export function finishPlan(summary: RunSummary, cli: CliHost): number {
  cli.stderr.write(collectErrors(summary).map(formatRunError).join(''));
  if (cli.output.json) cli.stdout.write(toJsonLine(toSummaryJson(summary)));
  return summary.exitCode;
}

/** Prints a plan as text, or as JSON lines without their summary. @returns the summary. */
export async function showPlan(
  openedPlan: OpenedPlanReport,
  options: { readonly files: boolean },
  cli: CliHost,
): Promise<RunSummary> {
  const { createPlanSummary, createPlanReport } = await import('../../operations/plan-download.js');
  if (cli.output.json) {
    const report = await createPlanReport(openedPlan, cli.signal);
    cli.stdout.write(toJsonLine(report.plan));
    await cli.output.lines(formatLines(report.files(), toJsonLine));
    return report.summary();
  }
  const job = openedPlan.job && sanitizeForTerminal(openedPlan.job);
  if (job !== undefined) cli.stdout.write(`${job}\n`);
  const totals = await printPlan(openedPlan, options, cli);
  const planEvent = await openedPlan.describe(totals);
  if (!cli.output.quiet) {
    const jobPrefix = job === undefined ? '' : `${job}: `;
    const { unauthorized } = totals.counts;
    const texts = [
      `${jobPrefix}${formatCounts(totals.counts)}`,
      unauthorized > 0 ? describeUncoveredDays(unauthorized, openedPlan.keyProblem) : '',
      formatEstimate(planEvent),
    ].filter((text) => text !== '');
    const lines = texts.flatMap((text) => wrapPieces(text.split(' '), textColumns(cli.stderr)));
    cli.stderr.write(`${lines.join('\n')}\n`);
  }
  return createPlanSummary(openedPlan, totals);
}

/** Prints the plan as text, and counts its files at the same time. */
async function printPlan(
  { plan: opened }: OpenedPlanReport,
  options: { readonly files: boolean },
  cli: CliHost,
): Promise<PlanTotals> {
  const { stdout, output } = cli;
  const { createTotals, countFiles } = await import('../../download/plan/report-plan.js');
  const totals = createTotals();
  const files = countFiles(opened, opened.filesInPathOrder(), totals);
  if (options.files) {
    await output.lines(formatLines(files, formatFileLine));
    return totals;
  }
  const { formatPlan, groupSeriesDays } = await import('../output/format-plan.js');
  const chalk = await output.chalk(stdout);
  const columns = textColumns(stdout);
  await output.lines(formatPlan(groupSeriesDays(files, opened.sizeOf), { columns, chalk }));
  return totals;
}

function* formatLines<T>(files: Iterable<T>, format: (file: T) => string): Generator<string> {
  for (const file of files) yield format(file);
}

function formatFileLine({ status, path }: PlannedFile): string {
  return `${status.padEnd('unauthorized'.length)}  ${sanitizeForTerminal(path)}\n`;
}

const STATUSES: readonly PlanStatus[] = [
  'download',
  'resume',
  'skip',
  'pending',
  'unavailable',
  'unauthorized',
];

function formatCounts(counts: PlanCounts): string {
  const parts = STATUSES.filter((status) => counts[status] > 0).map(
    (status) => `${counts[status]} ${status}`,
  );
  return `${plural(counts.files, 'file')}${parts.length === 0 ? '' : `: ${parts.join(', ')}`}`;
}
