import { VERSION } from '../../base/packages.js';
import { toJsonLine } from '../../events/json-events.js';
import type { CommandAction } from '../arguments/command.js';
import { defineOptions } from '../arguments/define-flags.js';

export const versionCommand: CommandAction = {
  ...defineOptions({}),
  examples: [['$0 version', 'print the version, like --version, -V and -v']],
  async run(_args, { output }) {
    await output.result({ json: () => toJsonLine({ version: VERSION }), text: () => `${VERSION}\n` });
    return 0;
  },
};
