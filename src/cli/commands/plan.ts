import { plural } from '../../base/units.js';
import { readBooleanFlag } from '../../commands/arguments/read-arguments.js';
import type { OpenedPlanReport } from '../../commands/prepare-plan.js';
import type { PlannedFile } from '../../download/download-options.js';
import type { PlanTotals } from '../../download/plan/create-download-plan.js';
import { toJsonLine, toSummaryJson } from '../../run/json-events.js';
import type { PlanCounts, PlanStatus, RunSummary } from '../../run/run-events.js';
import type { CliHost, CommandAction, CommandArgs } from '../arguments/command.js';
import { CONVERT_ON_ARRIVAL_FLAGS } from '../arguments/convert-flags.js';
import { SHARD_FLAGS, STORE_FLAGS } from '../arguments/folder-flags.js';
import { EXCHANGE } from '../arguments/positionals.js';
import {
  DOWNLOAD_FLAGS,
  LIST_FLAGS,
  PIN_FLAGS,
  PLAN_FLAGS,
  SELECTION_FLAGS,
} from '../arguments/run-flags.js';
import { formatEstimate } from '../output/plan/format-estimate.js';
import { printLines } from '../output/text/print-lines.js';
import { textColumns } from '../output/text/screen.js';
import { wrapPieces } from '../output/text/wrap.js';
import { warningTeller, withStoreRequests } from '../session.js';

export const planCommand: CommandAction = {
  positionals: { exchange: EXCHANGE },
  flags: {
    ...SELECTION_FLAGS,
    ...SHARD_FLAGS,
    ...STORE_FLAGS,
    ...PLAN_FLAGS,
    ...PIN_FLAGS,
    ...DOWNLOAD_FLAGS,
    ...CONVERT_ON_ARRIVAL_FLAGS,
    ...LIST_FLAGS,
  },
  examples: [
    ['$0 plan deribit -t trades -s BTC-PERPETUAL --last 7d', 'the last seven exported days of a symbol'],
    ['$0 plan deribit -t trades -s BTC-PERPETUAL --last 7d --files', 'one line a file'],
    ['$0 plan binance-futures -t all -s "*USDT" --last 1d --json', 'the newest day, one JSON object a line'],
  ],
  run: (args, cli) => withStoreRequests(args, cli, () => run(args, cli)),
};

async function run(args: CommandArgs, cli: CliHost): Promise<number> {
  const { preparePlan } = await import('../../commands/prepare-plan.js');
  const open = await preparePlan(args, cli);
  return open(warningTeller(args, cli), async (shown) => {
    const summary = await showPlan(shown, args, cli);
    if (readBooleanFlag(args, 'json')) cli.stdout.write(toJsonLine(toSummaryJson(summary)));
    return summary.exitCode;
  });
}

/** Prints a plan, as text or as JSON lines without their summary. @returns what it comes to. */
export async function showPlan(
  shown: OpenedPlanReport,
  args: CommandArgs,
  cli: CliHost,
): Promise<RunSummary> {
  const { createPlanSummary, createPlanReport } = await import('../../commands/prepare-plan.js');
  if (readBooleanFlag(args, 'json')) {
    const told = await createPlanReport(shown, cli.signal);
    cli.stdout.write(toJsonLine(told.plan));
    await printLines(cli.stdout, linesOf(told.files(), toJsonLine), cli.signal);
    return told.summary();
  }
  if (shown.job !== undefined) cli.stdout.write(`${shown.job}\n`);
  const totals = await printPlan(shown, args, cli);
  const described = await shown.describe(totals);
  if (!readBooleanFlag(args, 'quiet')) {
    const why = shown.keyExpired && totals.counts.unauthorized > 0 ? ' (the API key has expired)' : '';
    const whose = shown.job === undefined ? '' : `${shown.job}: `;
    const texts = [`${whose}${countsText(totals.counts)}${why}`, formatEstimate(described)].filter(
      (text) => text !== '',
    );
    const lines = texts.flatMap((text) => wrapPieces(text.split(' '), textColumns(cli.stderr)));
    cli.stderr.write(`${lines.join('\n')}\n`);
  }
  return createPlanSummary(shown, totals);
}

/** Prints it for people, and counts it on the way. */
async function printPlan(
  { plan: opened }: OpenedPlanReport,
  args: CommandArgs,
  cli: CliHost,
): Promise<PlanTotals> {
  const { stdout, signal } = cli;
  const { createTotals, countFiles } = await import('../../download/plan/create-download-plan.js');
  const totals = createTotals();
  const files = countFiles(opened, opened.filesInPathOrder(), totals);
  if (readBooleanFlag(args, 'files')) {
    await printLines(stdout, linesOf(files, textLine), signal);
    return totals;
  }
  const [{ groupSeriesDays }, { formatPlan }, { createChalk }] = await Promise.all([
    import('../output/plan/series-days.js'),
    import('../output/plan/format-plan.js'),
    import('../output/text/color.js'),
  ]);
  const chalk = createChalk(stdout, cli.env, readBooleanFlag(args, 'no-color'));
  const columns = textColumns(stdout);
  await printLines(stdout, formatPlan(groupSeriesDays(files, opened.sizeOf), { columns, chalk }), signal);
  return totals;
}

function* linesOf<T>(files: Iterable<T>, format: (file: T) => string): Generator<string> {
  for (const file of files) yield format(file);
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
