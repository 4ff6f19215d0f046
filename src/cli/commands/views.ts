import { usageError } from '../../base/errors.js';
import { plural } from '../../base/units.js';
import { isStdout, readOutputFile } from '../../operations/output-file.js';
import { COMMAND_OPTIONS } from '../../options/command-options.js';
import type { CommandAction } from '../arguments/command.js';
import { defineOptions } from '../arguments/define-flags.js';
import { formatDocument } from '../output/text/format-document.js';

export const viewsCommand: CommandAction = {
  ...defineOptions(COMMAND_OPTIONS.views),
  examples: [
    ['$0 views -o views.sql && duckdb -init views.sql', 'query all downloads: FROM trades LIMIT 10'],
    ['$0 views s3://bucket/datasets', 'print the SQL for an object store'],
  ],
  async run(args, cli) {
    const out = await readOutputFile(args, 'out', '-');
    if (cli.output.json && isStdout(out))
      throw usageError('--json prints to stdout, as the SQL does; write the SQL to a file with --out');
    const { prepareViews } = await import('../../operations/prepare-views.js');
    const read = await prepareViews(args, cli);
    const { lines, views, files } = await read(cli.warn);
    if (isStdout(out)) {
      await cli.output.lines(lines);
      return 0;
    }
    const { writeOutput } = await import('../../base/output-sink.js');
    await writeOutput(out, lines, cli);
    await cli.output.result({
      json: () => formatDocument({ path: out.name, views, files }, false),
      text: () => `${out.name}: ${plural(views, 'view')} over ${plural(files, 'file')}\n`,
      unlessQuiet: 'stderr',
    });
    return 0;
  },
};
