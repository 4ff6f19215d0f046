import type { OutputTarget } from '../../base/output-target.js';
import type { Coverage } from '../../describe/coverage/coverage-facts.js';
import { toJsonLine } from '../../events/json-events.js';
import { readBooleanFlag } from '../../operations/arguments/read-arguments.js';
import { isStdout, readPageFile } from '../../operations/output-file.js';
import type { FolderCoverage } from '../../operations/prepare-coverage.js';
import { COMMAND_OPTIONS } from '../../options/command-options.js';
import type { CliHost, CommandAction } from '../arguments/command.js';
import { defineOptions } from '../arguments/define-flags.js';
import { screenColumns, textColumns } from '../output/text/screen.js';

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
    const { prepareCoverage } = await import('../../operations/prepare-coverage.js');
    const read = await prepareCoverage(args, cli);
    const coverage = await read(cli.warn);
    if (html !== undefined) await writePage(html, coverage, cli);
    if (!isStdout(html)) await print(coverage.facts, cli, html?.name, readBooleanFlag(args, 'all'));
    return 0;
  },
};

async function writePage(target: OutputTarget, coverage: FolderCoverage, cli: CliHost): Promise<void> {
  const { createCoveragePage } = await import('../../operations/prepare-coverage.js');
  const html = await createCoveragePage(coverage);
  if (isStdout(target)) return cli.output.lines([html]);
  const { writeReport } = await import('../../describe/coverage/page/write-report.js');
  await writeReport(target, html, cli);
}

async function print(
  facts: Coverage,
  { stdout, output }: CliHost,
  html: string | undefined,
  all: boolean,
): Promise<void> {
  if (output.json) {
    const { toCoverageDocument } = await import('../../describe/coverage/coverage-document.js');
    return output.lines([toJsonLine(toCoverageDocument(facts))]);
  }
  const { formatCoverage, formatTotals } = await import('../output/coverage/format-coverage.js');
  if (html !== undefined)
    return output.lines([...formatTotals(facts.totals, textColumns(stdout)), `${html}: written\n`]);
  const options = {
    columns: screenColumns(stdout),
    isTerminal: stdout.isTTY === true,
    chalk: await output.chalk(stdout),
    all,
  };
  await output.lines(formatCoverage(facts, options));
}
