import { usageError } from '../../base/errors.js';
import type { OutputTarget } from '../../base/output-target.js';
import { readToggle } from '../../commands/arguments/read.js';
import type { CoverageOf } from '../../commands/coverage.js';
import { isStdout, readOutputFile } from '../../commands/output-file.js';
import type { Coverage } from '../../coverage/types.js';
import { line } from '../../run/json.js';
import { COVERAGE_FLAGS, STORE_FLAGS } from '../arguments/folder-flags.js';
import type { Action, Args, Cli } from '../arguments/types.js';
import { printLines } from '../output/text/blocks.js';
import { screenColumns, textColumns } from '../output/text/screen.js';
import { withStoreRequests } from '../session.js';

export const coverage: Action = {
  positionals: {
    folder: { type: 'string', describe: 'a download folder, or a folder in one (default: --dir)' },
  },
  flags: { ...COVERAGE_FLAGS, ...STORE_FLAGS },
  examples: [
    ['$0 coverage', 'tables, and a calendar of each symbol'],
    ['$0 coverage -t trades -s "BTC*" --from 2024-01-01 --to 2025-01-01', 'one year of some of them'],
    ['$0 coverage --html coverage.html', 'a page to look through, which needs no network'],
    ['$0 coverage --json | jq .totals.missing', 'one JSON document'],
  ],
  async run(args, cli) {
    const html = await readOutputFile(args, 'html');
    const isJson = readToggle(args, 'json');
    if (isStdout(html) && isJson)
      throw usageError('--html - and --json both print to stdout; give one of them');
    const { prepareCoverage } = await import('../../commands/coverage.js');
    const read = await prepareCoverage(args, cli);
    const warn = (message: string): void => {
      if (!readToggle(args, 'quiet')) cli.warn(message);
    };
    const coverage = await withStoreRequests(args, cli, () => read(warn));
    if (html !== undefined) await writePage(html, coverage, cli);
    if (!isStdout(html)) await print(coverage.facts, args, cli, { isJson, html: html?.name });
    return 0;
  },
};

async function writePage(target: OutputTarget, coverage: CoverageOf, cli: Cli): Promise<void> {
  const { coveragePage } = await import('../../commands/coverage.js');
  const html = await coveragePage(coverage);
  if (isStdout(target)) return printLines(cli.stdout, [html], cli.signal);
  const { writeReport } = await import('../../coverage/page/write.js');
  await writeReport(target, html, cli);
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
    return printLines(
      stdout,
      [...totalsLines(facts.totals, textColumns(stdout)), `${html}: written\n`],
      signal,
    );
  const { chalkFor } = await import('../output/text/color.js');
  const options = {
    columns: screenColumns(stdout),
    isTerminal: stdout.isTTY === true,
    chalk: chalkFor(stdout, env, readToggle(args, 'no-color')),
    all: readToggle(args, 'all'),
  };
  await printLines(stdout, coverageText(facts, options), signal);
}
