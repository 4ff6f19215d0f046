import { plural } from '../../base/units.js';
import { readBooleanFlag, readLocations } from '../../commands/arguments/read-arguments.js';
import { loadSettings } from '../../commands/config/load-config.js';
import type { Settings } from '../../commands/settings.js';
import { withDestination } from '../../commands/with-destination.js';
import { groupOptions } from '../../options/option-definition.js';
import { FOLDER_OPTIONS, STORE_OPTIONS } from '../../options/service-options.js';
import type { Destination } from '../../store/destination.js';
import type { CommandAction } from '../arguments/command.js';
import { toFlags } from '../arguments/define-flags.js';
import { formatDocument } from '../output/text/format-document.js';
import { withStoreRequests } from '../session.js';

export const manifestCommand: CommandAction = {
  positionals: {
    action: { type: 'string', choices: ['merge'], describe: 'merge: write one manifest' },
    folder: {
      type: 'string',
      describe: 'download folders or s3://bucket/prefix with the manifests to merge',
    },
  },
  flags: toFlags({ ...groupOptions('Manifest:', FOLDER_OPTIONS), ...STORE_OPTIONS }),
  examples: [
    [
      '$0 manifest merge /mnt/a /mnt/b --dir /data',
      'after moving the files of two machines to /data, without reading them again',
    ],
  ],
  async run(args, cli) {
    const locations = readLocations(args, 'folder');
    const settings = await loadSettings(args, cli);
    const { mergeManifests } = await import('../../store/manifest/merge-manifests.js');
    const { warn, signal } = cli;
    const merged = await withStoreRequests(args, cli, () =>
      withDestination(settings, cli, (target) =>
        withDestinations(locations, settings, signal, async (folders) => ({
          path: target.name,
          ...(await mergeManifests({ folders, target, warn, signal })),
        })),
      ),
    );
    if (readBooleanFlag(args, 'json')) cli.stdout.write(formatDocument(merged, false));
    else if (!readBooleanFlag(args, 'quiet')) {
      const { path, records, added, changed } = merged;
      cli.stderr.write(`${path}: ${plural(records, 'day file')}, ${added} new, ${changed} changed\n`);
    }
    return 0;
  },
};

/** Opens destinations recursively, so that each opened one is closed whatever happens. */
function withDestinations<T>(
  [first, ...others]: readonly string[],
  settings: Settings,
  signal: AbortSignal,
  work: (opened: readonly Destination[]) => Promise<T>,
): Promise<T> {
  if (first === undefined) return work([]);
  return withDestination({ ...settings, downloadDir: first }, { signal }, (destination) =>
    withDestinations(others, settings, signal, (opened) => work([destination, ...opened])),
  );
}
