import { VERSION } from '../../base/version.js';
import { readBooleanFlag } from '../../commands/arguments/read-arguments.js';
import { toJsonLine } from '../../run/json-events.js';
import type { CommandAction } from '../arguments/command.js';

export const versionCommand: CommandAction = {
  flags: {},
  examples: [['$0 version', 'print the version, like --version, -V and -v']],
  async run(args, { stdout }) {
    stdout.write(readBooleanFlag(args, 'json') ? toJsonLine({ version: VERSION }) : `${VERSION}\n`);
    return 0;
  },
};
