import type { OutputTarget } from '../../base/output-sink.js';
import type { Coverage } from '../../describe/coverage/coverage-facts.js';
import { toJsonLine } from '../../events/json-events.js';
import { readBooleanFlag } from '../../operations/arguments/read-arguments.js';
import { isStdout, readPageFile } from '../../operations/output-file.js';
import type { FolderCoverage } from '../../operations/prepare-coverage.js';
import { COMMAND_OPTIONS } from '../../options/command-options.js';
import type { CliHost, CommandAction, CommandArgs } from '../arguments/command.js';
import { defineOptions } from '../arguments/define-flags.js';
import { printLines } from '../output/text/print-lines.js';
import { screenColumns, textColumns } from '../output/text/screen.js';
import { withStoreRequests } from '../session.js';

export const coverageCommand: CommandAction = {
  ...defineOptions(COMMAND_OPTIONS.coverage),
  examples: [
    ['$0 coverage', 'print tables, and a calendar of each symbol'],
    ['$0 coverage -t trades -s "BTC*" --from 2024-01-01 --to 2025-01-01', 'one year of some symbols'],
    ['$0 coverage --html coverage.html', 'write an offline HTML page'],
    ['$0 coverage --json | jq .totals.missing', 'print one JSON document'],
  ],
  async run(args, cli) {
    const html = await readPageFile(args);
    const isJson = readBooleanFlag(args, 'json');
    const { prepareCoverage } = await import('../../operations/prepare-coverage.js');
    const read = await prepareCoverage(args, cli);
    const coverage = await withStoreRequests(args, cli, () => read(cli.warn));
    if (html !== undefined) await writePage(html, coverage, cli);
    if (!isStdout(html)) await print(coverage.facts, args, cli, { isJson, html: html?.name });
    return 0;
  },
};

async function writePage(target: OutputTarget, coverage: FolderCoverage, cli: CliHost): Promise<void> {
  const { createCoveragePage } = await import('../../operations/prepare-coverage.js');
  const html = await createCoveragePage(coverage);
  if (isStdout(target)) return printLines(cli.stdout, [html], cli.signal);
  const { writeReport } = await import('../../describe/coverage/page/write-report.js');
  await writeReport(target, html, cli);
}

async function print(
  facts: Coverage,
  args: CommandArgs,
  cli: CliHost,
  { isJson, html }: { readonly isJson: boolean; readonly html: string | undefined },
): Promise<void> {
  const { stdout, env, signal } = cli;
  if (isJson) {
    const { toCoverageDocument } = await import('../../describe/coverage/coverage-document.js');
    return printLines(stdout, [toJsonLine(toCoverageDocument(facts))], signal);
  }
  const { formatCoverage, formatTotals } = await import('../output/coverage/format-coverage.js');
  if (html !== undefined)
    return printLines(
      stdout,
      [...formatTotals(facts.totals, textColumns(stdout)), `${html}: written\n`],
      signal,
    );
  const { createChalk } = await import('../output/text/color.js');
  const options = {
    columns: screenColumns(stdout),
    isTerminal: stdout.isTTY === true,
    chalk: createChalk(stdout, env, readBooleanFlag(args, 'no-color')),
    all: readBooleanFlag(args, 'all'),
  };
  await printLines(stdout, formatCoverage(facts, options), signal);
}
