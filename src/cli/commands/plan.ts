import { plural } from '../../base/units.js';
import { readToggle } from '../../commands/arguments/read.js';
import type { ShownPlan } from '../../commands/plan.js';
import type { PlanTotals } from '../../download/plan/plan.js';
import type { PlannedFile } from '../../download/types.js';
import type { PlanCounts, PlanStatus, RunSummary } from '../../run/events.js';
import { line, summaryObject } from '../../run/json.js';
import { CONVERT_ON_ARRIVAL_FLAGS } from '../arguments/convert-flags.js';
import { DOWNLOAD_FLAGS, LIST_FLAGS, PIN_FLAGS, PLAN_FLAGS, SELECTION_FLAGS } from '../arguments/flags.js';
import { SHARD_FLAGS, STORE_FLAGS } from '../arguments/folder-flags.js';
import { EXCHANGE } from '../arguments/positionals.js';
import type { Action, Args, Cli } from '../arguments/types.js';
import { estimateText } from '../output/plan/estimate.js';
import { printLines } from '../output/text/blocks.js';
import { textColumns } from '../output/text/screen.js';
import { wrapPieces } from '../output/text/wrap.js';
import { warningTeller, withStoreRequests } from '../session.js';

export const plan: Action = {
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

async function run(args: Args, cli: Cli): Promise<number> {
  const { preparePlan } = await import('../../commands/plan.js');
  const open = await preparePlan(args, cli);
  return open(warningTeller(args, cli), async (shown) => {
    const summary = await showPlan(shown, args, cli);
    if (readToggle(args, 'json')) cli.stdout.write(line(summaryObject(summary)));
    return summary.exitCode;
  });
}

/** Prints a plan, as text or as JSON lines without their summary. @returns what it comes to. */
export async function showPlan(shown: ShownPlan, args: Args, cli: Cli): Promise<RunSummary> {
  const { planSummary, tellPlan } = await import('../../commands/plan.js');
  if (readToggle(args, 'json')) {
    const told = await tellPlan(shown, cli.signal);
    cli.stdout.write(line(told.plan));
    await printLines(cli.stdout, linesOf(told.files(), line), cli.signal);
    return told.summary();
  }
  if (shown.job !== undefined) cli.stdout.write(`${shown.job}\n`);
  const totals = await printPlan(shown, args, cli);
  const described = await shown.describe(totals);
  if (!readToggle(args, 'quiet')) {
    const why = shown.keyExpired && totals.counts.unauthorized > 0 ? ' (the API key has expired)' : '';
    const whose = shown.job === undefined ? '' : `${shown.job}: `;
    const texts = [`${whose}${countsText(totals.counts)}${why}`, estimateText(described)].filter(
      (text) => text !== '',
    );
    const lines = texts.flatMap((text) => wrapPieces(text.split(' '), textColumns(cli.stderr)));
    cli.stderr.write(`${lines.join('\n')}\n`);
  }
  return planSummary(shown, totals);
}

/** Prints it for people, and counts it on the way. */
async function printPlan({ plan: opened }: ShownPlan, args: Args, cli: Cli): Promise<PlanTotals> {
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
  const columns = textColumns(stdout);
  await printLines(stdout, planText(seriesDays(files, opened.sizeOf), { columns, chalk }), signal);
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
