import { plural } from '../../base/units.js';
import { toJsonLine } from '../../events/json-events.js';
import { groupOptions } from '../../options/option-definition.js';
import { FOLDER_OPTIONS, STORE_OPTIONS } from '../../options/service-options.js';
import { defineCommand } from '../arguments/define-flags.js';
import { withOutputContext } from '../run-command.js';

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

export const manifestCommand = defineCommand(OPTIONS, {
  examples: [
    [
      '$0 manifest merge /mnt/a /mnt/b --dir /data',
      'after moving the files of two machines to /data, without reading them again',
    ],
  ],
  async run(options, cli) {
    const { mergeFolders } = await import('../../operations/merge-folders.js');
    const { warn, signal } = cli;
    const merged = await withOutputContext(options, cli, async (context) => {
      const target = await context.destination();
      const folders = [];
      for (const location of options.folders ?? []) folders.push(await context.destination(location));
      return { path: target.name, ...(await mergeFolders({ folders, target, warn, signal })) };
    });
    const { path, records, added, changed, audits, exports } = merged;
    const logs = [plural(audits, 'audit result'), plural(exports, 'export')].join(' and ');
    const more = audits + exports > 0 ? `; ${logs} added` : '';
    await cli.output.result({
      json: () => toJsonLine(merged),
      text: () => `${path}: ${plural(records, 'day file')}, ${added} new, ${changed} changed${more}\n`,
      unlessQuiet: 'stderr',
    });
    return 0;
  },
});
