import { VERSION } from '../../base/version.js';
import { toJsonLine } from '../../events/json-events.js';
import type { CommandAction } from '../arguments/command.js';

export const versionCommand: CommandAction = {
  flags: {},
  examples: [['$0 version', 'print the version, like --version, -V and -v']],
  async run(_args, { output }) {
    await output.result({ json: () => toJsonLine({ version: VERSION }), text: () => `${VERSION}\n` });
    return 0;
  },
};
