import { plural } from '../../base/units.js';
import { readBooleanFlag, readLocations } from '../../commands/arguments/read-arguments.js';
import { loadSettings } from '../../commands/config/load-config.js';
import type { Settings } from '../../commands/settings.js';
import { withDestination } from '../../commands/with-destination.js';
import type { Destination } from '../../store/destination.js';
import type { CommandAction } from '../arguments/command.js';
import { DIR, STORE_FLAGS } from '../arguments/folder-flags.js';
import { formatDocument } from '../output/text/format-document.js';
import { withStoreRequests } from '../session.js';

export const manifestCommand: CommandAction = {
  positionals: {
    action: { type: 'string', choices: ['merge'], describe: 'one manifest of several' },
    folder: { type: 'string', describe: 'download folders, or s3://bucket/prefix, whose manifests are read' },
  },
  flags: { dir: { ...DIR, group: 'Manifest:' }, ...STORE_FLAGS },
  examples: [
    [
      '$0 manifest merge /mnt/a /mnt/b --dir /data',
      'files of two machines were moved to /data: none is read again',
    ],
  ],
  async run(args, cli) {
    const named = readLocations(args, 'folder');
    const settings = await loadSettings(args, cli);
    const { mergeManifests } = await import('../../store/manifest/merge-manifests.js');
    const { warn, signal } = cli;
    const merged = await withStoreRequests(args, cli, () =>
      withDestination(settings, cli, (target) =>
        withDestinations(named, settings, signal, async (folders) => ({
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

/** Opens them one within the other: whatever happens, each that was opened is closed. */
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
