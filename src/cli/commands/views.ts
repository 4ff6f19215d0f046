import { usageError } from '../../base/errors.js';
import { isStdout, resolveOutput, writeOutput } from '../../base/output-sink.js';
import { plural } from '../../base/units.js';
import { toJsonLine } from '../../events/json-events.js';
import type { Context } from '../../operations/context.js';
import { COMMAND_OPTIONS } from '../../options/command-options.js';
import type { CommandValues } from '../../options/read-options.js';
import { absoluteLocation, isObjectLocation } from '../../store/location.js';
import { defineCommand } from '../arguments/define-flags.js';
import { withOutputContext } from '../run-command.js';

export const viewsCommand = defineCommand(COMMAND_OPTIONS.views, {
  examples: [
    ['$0 views -o views.sql && duckdb -init views.sql', 'query all downloads: FROM trades LIMIT 10'],
    ['$0 views s3://bucket/datasets', 'print the SQL for an object store'],
  ],
  async run(options, cli) {
    const out = await resolveOutput('--out', options.out ?? '-');
    if (cli.output.json && isStdout(out))
      throw usageError('--json prints to stdout, as the SQL does; write the SQL to a file with --out');
    const found = await withOutputContext(options, cli, (context) => readViews(options, context));
    const { lines, views, files } = found;
    if (isStdout(out)) {
      await cli.output.lines(lines);
      return 0;
    }
    await writeOutput(out, lines, cli);
    await cli.output.result({
      json: () => toJsonLine({ path: out.name, views, files }),
      text: () => `${out.name}: ${plural(views, 'view')} over ${plural(files, 'file')}\n`,
      unlessQuiet: 'stderr',
    });
    return 0;
  },
});

/** SQL for DuckDB that defines a view of each data type. */
interface FolderViews {
  readonly lines: readonly string[];
  readonly views: number;
  readonly files: number;
}

/** Finds the files of a download folder. @throws usage error for a folder without any. */
async function readViews(
  options: CommandValues<typeof COMMAND_OPTIONS.views>,
  context: Context,
): Promise<FolderViews> {
  const { emit, signal } = context;
  const { findFolder } = await import('../../operations/selection/read-folder-paths.js');
  const { createDestinationFinder, NOTHING_KNOWN } = await import('../../store/open-destination.js');
  const { findViewFiles } = await import('../../describe/views/find-view-files.js');
  const { formatSecretComment, formatViews } = await import('../../describe/views/format-views.js');
  const { readDayFileSelection } = await import('../../operations/selection/read-selection.js');
  const selection = await readDayFileSelection(options, context);
  const { dir, paths, names } = await findFolder(options, context);
  const [under = ''] = paths;
  const destination = await context.destination(dir);
  const warn = (message: string): void => emit({ event: 'warning', message });
  const found = await findViewFiles(destination, { under, selection, warn, signal });
  if (found.files.length === 0) {
    const folder = destination.locate(under);
    const isKnown = (await createDestinationFinder(destination.files, signal)(folder)) !== undefined;
    const nothing = isKnown ? 'no day files and no Parquet files of day files' : NOTHING_KNOWN;
    throw usageError(`${names.get(under) ?? folder}: ${nothing}; name a folder with downloads`);
  }
  const root = absoluteLocation(destination.locate(''));
  const { store } = await context.settings();
  const comment = isObjectLocation(root) ? [formatSecretComment(root, store)] : [];
  const views = formatViews(found, root);
  return { lines: [...comment, ...views], views: views.length, files: found.files.length };
}
