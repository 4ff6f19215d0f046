import { VERSION } from '../../base/version.js';
import { readToggle } from '../../commands/arguments/read.js';
import { line } from '../../run/json.js';
import type { Action } from '../arguments/types.js';

export const version: Action = {
  flags: {},
  examples: [['$0 version', 'the same as --version, -V and -v']],
  async run(args, { stdout }) {
    stdout.write(readToggle(args, 'json') ? line({ version: VERSION }) : `${VERSION}\n`);
    return 0;
  },
};
