import { plural } from '../../base/units.js';
import { readLocations, readToggle } from '../../commands/arguments/read.js';
import { loadSettings } from '../../commands/config/file.js';
import { withDestination } from '../../commands/destination.js';
import type { Settings } from '../../commands/environment.js';
import type { Destination } from '../../store/destination.js';
import { DIR, STORE_FLAGS } from '../arguments/folder-flags.js';
import type { Action } from '../arguments/types.js';
import { documentText } from '../output/text/document.js';
import { withStoreRequests } from '../session.js';

export const manifest: Action = {
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
    const { mergeManifests } = await import('../../store/manifest/merge.js');
    const { warn, signal } = cli;
    const merged = await withStoreRequests(args, cli, () =>
      withDestination(settings, cli, (target) =>
        withDestinations(named, settings, signal, async (folders) => ({
          path: target.name,
          ...(await mergeManifests({ folders, target, warn, signal })),
        })),
      ),
    );
    if (readToggle(args, 'json')) cli.stdout.write(documentText(merged, false));
    else if (!readToggle(args, 'quiet')) {
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
