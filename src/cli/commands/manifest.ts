import { plural } from '../../base/units.js';
import { readLocations } from '../../operations/arguments/read-arguments.js';
import { loadSettings } from '../../operations/config/load-config.js';
import type { Settings } from '../../operations/settings.js';
import { withDestination } from '../../operations/with-destination.js';
import { groupOptions } from '../../options/option-definition.js';
import { FOLDER_OPTIONS, STORE_OPTIONS } from '../../options/service-options.js';
import type { Destination } from '../../store/destination.js';
import type { CommandAction } from '../arguments/command.js';
import { defineOptions } from '../arguments/define-flags.js';
import { formatDocument } from '../output/text/format-document.js';

const OPTIONS = {
  action: {
    type: 'choice',
    description: 'merge: write one manifest',
    choices: ['merge'],
    positional: true,
    required: true,
  },
  folder: {
    type: 'folders',
    description: 'folders of downloads or exports, or s3://bucket/prefix, with the manifests to merge',
    settingName: 'folders',
    positional: true,
    required: true,
  },
  ...groupOptions('Manifest:', FOLDER_OPTIONS),
  ...STORE_OPTIONS,
} as const;

export const manifestCommand: CommandAction = {
  ...defineOptions(OPTIONS),
  examples: [
    [
      '$0 manifest merge /mnt/a /mnt/b --dir /data',
      'after moving the files of two machines to /data, without reading them again',
    ],
  ],
  async run(args, cli) {
    const locations = readLocations(args, 'folder');
    const settings = await loadSettings(args, cli);
    const { mergeFolders } = await import('../../operations/merge-folders.js');
    const { warn, signal } = cli;
    const merged = await withDestination(settings, cli, (target) =>
      withDestinations(locations, settings, signal, async (folders) => ({
        path: target.name,
        ...(await mergeFolders({ folders, target, warn, signal })),
      })),
    );
    const { path, records, added, changed, audits, exports } = merged;
    const logs = [plural(audits, 'audit result'), plural(exports, 'export')].join(' and ');
    const more = audits + exports > 0 ? `; ${logs} added` : '';
    await cli.output.result({
      json: () => formatDocument(merged, false),
      text: () => `${path}: ${plural(records, 'day file')}, ${added} new, ${changed} changed${more}\n`,
      unlessQuiet: 'stderr',
    });
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
