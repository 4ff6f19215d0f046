import { VERSION } from '../../base/version.js';
import { toJsonLine } from '../../events/json-events.js';
import { readBooleanFlag } from '../../operations/arguments/read-arguments.js';
import type { CommandAction } from '../arguments/command.js';
import { defineOptions } from '../arguments/define-flags.js';

export const versionCommand: CommandAction = {
  ...defineOptions({}),
  examples: [['$0 version', 'print the version, like --version, -V and -v']],
  async run(args, { stdout }) {
    stdout.write(readBooleanFlag(args, 'json') ? toJsonLine({ version: VERSION }) : `${VERSION}\n`);
    return 0;
  },
};
