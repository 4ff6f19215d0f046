import { findPageFile, isStdout, type OutputTarget } from '../../base/output-sink.js';
import type { Coverage } from '../../describe/coverage/coverage-facts.js';
import { toJsonLine } from '../../events/json-events.js';
import type { FolderCoverage } from '../../operations/coverage.js';
import { COMMAND_OPTIONS } from '../../options/command-options.js';
import type { CliHost } from '../arguments/command.js';
import { defineCommand } from '../arguments/define-flags.js';
import { screenColumns, textColumns } from '../output/text/screen.js';
import { withOutputContext } from '../run-command.js';

export const coverageCommand = defineCommand(COMMAND_OPTIONS.coverage, {
  examples: [
    ['$0 coverage', 'print tables, and a calendar of each symbol'],
    ['$0 coverage -t trades -s "BTC*" --from 2024-01-01 --to 2025-01-01', 'one year of some symbols'],
    ['$0 coverage --html coverage.html', 'write an offline HTML page'],
    ['$0 coverage --json | jq .totals.missing', 'print one JSON document'],
  ],
  async run(options, cli) {
    const html = await findPageFile(options);
    const { readFolderCoverage } = await import('../../operations/coverage.js');
    const coverage = await withOutputContext(options, cli, (context) => readFolderCoverage(options, context));
    if (html !== undefined) await writePage(html, coverage, cli);
    if (!isStdout(html)) await print(coverage.facts, cli, html?.name, options.all);
    return 0;
  },
});

async function writePage(target: OutputTarget, coverage: FolderCoverage, cli: CliHost): Promise<void> {
  const { createCoveragePage } = await import('../../operations/coverage.js');
  const html = await createCoveragePage(coverage);
  if (isStdout(target)) return cli.output.lines([html]);
  const { writeReport } = await import('../../describe/coverage/page/render-report.js');
  await writeReport(target, html, cli);
}

async function print(
  facts: Coverage,
  { stdout, output }: CliHost,
  html: string | undefined,
  all: boolean,
): Promise<void> {
  if (output.json) {
    const { toCoverageDocument } = await import('../../describe/coverage/coverage-facts.js');
    return output.lines([toJsonLine(toCoverageDocument(facts))]);
  }
  const { formatCoverage, formatTotals } = await import('../output/format-coverage.js');
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
