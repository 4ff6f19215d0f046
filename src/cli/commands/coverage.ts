import { usageError } from '../../base/errors.js';
import type { Coverage, CoverageSelection } from '../../coverage/types.js';
import { addDays, dayOfMs, parseDay } from '../../dataset/day.js';
import { COVERAGE_FLAGS } from '../arguments/flags.js';
import { readDay, readList, readPath, readToggle } from '../../commands/arguments/read.js';
import type { Action, Args, Cli } from '../arguments/types.js';
import { loadSettings } from '../../commands/config/file.js';
import { screenColumns } from '../output/run/frame-terminal.js';
import { line } from '../output/run/json.js';
import { printLines } from '../output/text/blocks.js';
import { resolveSymbolFiles } from '../../commands/selection/selection.js';

export const coverage: Action = {
  positionals: {
    folder: { type: 'string', describe: 'download folder (default: TICKHAUL_DIR, else ./datasets)' },
  },
  flags: COVERAGE_FLAGS,
  examples: [
    ['$0 coverage', 'tables, and a calendar of each symbol'],
    ['$0 coverage -t trades -s "BTC*" --from 2024-01-01 --to 2025-01-01', 'one year of some of them'],
    ['$0 coverage --html coverage.html', 'a page to look through, which needs no network'],
    ['$0 coverage --json | jq .totals.missing', 'one JSON document'],
  ],
  async run(args, cli) {
    const selection = await readCoverageSelection(args, cli.signal);
    const html = readPath(args, 'html');
    const isJson = readToggle(args, 'json');
    if (html === '-' && isJson)
      throw usageError('--html - and --json both print to stdout; give one of them');
    const dir = readPath(args, 'folder') ?? (await loadSettings(args, cli)).downloadDir;
    const { readCoverage } = await import('../../coverage/read.js');
    const warn = (message: string): void => {
      if (!readToggle(args, 'quiet')) cli.stderr.write(`warning ${message}\n`);
    };
    const facts = await readCoverage(dir, { selection, warn, signal: cli.signal });
    if (html !== undefined) await writePage(html, facts, dir, cli);
    if (html !== '-') await print(facts, args, cli, { isJson, html });
    return 0;
  },
};

/** A hundred years. */
const MAX_DAYS = 36_500;

async function readCoverageSelection(args: Args, signal: AbortSignal): Promise<CoverageSelection> {
  const [from, to] = ['from', 'to'].map((flag) => {
    const text = readDay(args, flag);
    return text === undefined ? undefined : parseDay(text);
  });
  const end = to ?? addDays(dayOfMs(Date.now()), 1);
  if (from !== undefined && end <= from) {
    throw usageError(
      to === undefined
        ? '--from is a day to come; choose an earlier one'
        : '--to must be after --from: the day of --to is not included',
    );
  }
  if (from !== undefined && end - from > MAX_DAYS) {
    throw usageError(`--from and --to span ${end - from} days, at most ${MAX_DAYS}; choose a shorter range`);
  }
  const symbols = readList(args, 'symbol');
  return {
    exchanges: readList(args, 'exchange'),
    dataTypes: readList(args, 'type'),
    symbols: symbols && (await resolveSymbolFiles(symbols, signal)),
    from,
    to,
  };
}

async function writePage(path: string, facts: Coverage, dir: string, cli: Cli): Promise<void> {
  const { renderPage } = await import('../../coverage/page/html.js');
  const html = renderPage(facts, { dir, now: Date.now() });
  if (path === '-') return printLines(cli.stdout, [html], cli.signal);
  const { writeReport } = await import('../../coverage/page/write.js');
  await writeReport(path, html);
}

async function print(
  facts: Coverage,
  args: Args,
  cli: Cli,
  { isJson, html }: { readonly isJson: boolean; readonly html: string | undefined },
): Promise<void> {
  const { stdout, env, signal } = cli;
  if (isJson) {
    const { coverageDocument } = await import('../../coverage/document.js');
    return printLines(stdout, [line(coverageDocument(facts))], signal);
  }
  const { coverageText, totalsLines } = await import('../output/coverage/text.js');
  if (html !== undefined)
    return printLines(stdout, [...totalsLines(facts.totals), `${html}: written\n`], signal);
  const { chalkFor } = await import('../output/text/color.js');
  const options = {
    columns: screenColumns(stdout),
    isTerminal: stdout.isTTY === true,
    chalk: chalkFor(stdout, env, readToggle(args, 'no-color')),
    all: readToggle(args, 'all'),
  };
  await printLines(stdout, coverageText(facts, options), signal);
}
