import { usageError } from '../base/errors.js';
import { absoluteLocation, isObjectLocation } from '../store/location.js';
import { createDestinationFinder, NOTHING_KNOWN } from '../store/open-destination.js';
import type { CommandArgs } from './arguments/command-args.js';
import type { CommandHost } from './command-host.js';
import { loadSettings } from './config/load-config.js';
import { findFolder, readFolderArgument } from './selection/read-folder-paths.js';
import { withDestination } from './with-destination.js';

/** SQL for DuckDB that defines a view of each data type. */
export interface FolderViews {
  readonly lines: readonly string[];
  readonly views: number;
  readonly files: number;
}

/** Prepares `views` of a download folder. @throws usage error. */
export async function prepareViews(
  args: CommandArgs,
  host: CommandHost,
): Promise<(warn: (message: string) => void) => Promise<FolderViews>> {
  const folders = readFolderArgument(args);
  const settings = await loadSettings(args, host);
  const { findViewFiles } = await import('../describe/views/find-view-files.js');
  const { formatViews } = await import('../describe/views/format-views.js');
  const { formatSecretComment } = await import('../describe/views/format-views.js');
  return async (warn) => {
    const { dir, paths, names } = await findFolder(folders, settings, host);
    const [under = ''] = paths;
    return withDestination({ ...settings, downloadDir: dir }, host, async (destination) => {
      const found = await findViewFiles(destination, { under, warn, signal: host.signal });
      if (found.files.length === 0) {
        const folder = destination.locate(under);
        const isKnown = (await createDestinationFinder(destination.files, host.signal)(folder)) !== undefined;
        const nothing = isKnown ? 'no day files and no Parquet files of day files' : NOTHING_KNOWN;
        throw usageError(`${names.get(under) ?? folder}: ${nothing}; name a folder with downloads`);
      }
      const root = absoluteLocation(destination.locate(''));
      const comment = isObjectLocation(root) ? [formatSecretComment(root, settings.store)] : [];
      const views = formatViews(found, root);
      return { lines: [...comment, ...views], views: views.length, files: found.files.length };
    });
  };
}
