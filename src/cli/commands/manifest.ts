import { plural } from '../../base/units.js';
import { readPaths, readToggle } from '../../commands/arguments/read.js';
import { loadSettings } from '../../commands/config/file.js';
import { DIR } from '../arguments/folder-flags.js';
import type { Action } from '../arguments/types.js';
import { documentText } from '../output/text/document.js';

export const manifest: Action = {
  positionals: {
    action: { type: 'string', choices: ['merge'], describe: 'one manifest of several' },
    folder: { type: 'string', describe: 'download folders whose manifests are read' },
  },
  flags: { dir: { ...DIR, group: 'Manifest:' } },
  examples: [
    [
      '$0 manifest merge /mnt/a /mnt/b --dir /data',
      'files of two machines were moved to /data: it knows them all without reading them',
    ],
  ],
  async run(args, cli) {
    const folders = readPaths(args, 'folder');
    const { downloadDir: target } = await loadSettings(args, cli);
    const { mergeManifests } = await import('../../store/manifest/merge.js');
    const { warn, signal } = cli;
    const merged = await mergeManifests({ folders, target, warn, signal });
    if (readToggle(args, 'json')) cli.stdout.write(documentText({ path: target, ...merged }, false));
    else if (!readToggle(args, 'quiet')) {
      const { records, added, changed } = merged;
      cli.stderr.write(`${target}: ${plural(records, 'day file')}, ${added} new, ${changed} changed\n`);
    }
    return 0;
  },
};
