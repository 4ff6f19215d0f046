import { COMMAND_OPTIONS } from '../../options/command-options.js';
import type { CommandAction } from '../arguments/command.js';
import { defineOptions } from '../arguments/define-flags.js';

export const verifyCommand: CommandAction = {
  ...defineOptions(COMMAND_OPTIONS.verify),
  examples: [
    ['$0 verify', 'read every file of the download folder to its end'],
    ['$0 verify --quick', 'check presence and size only'],
    ['$0 verify --listed --dir s3://bucket/prefix', 'compare a listing of the store with the manifest'],
    ['$0 verify -t trades -s "BTC*"', 'only some data types and symbols'],
    ['$0 verify --repair --clean', 'download bad files again, and remove files left by killed runs'],
    ['$0 verify --cache', 'read every slice of raw data in the cache to its end'],
    ['$0 verify --adopt /data', 'record files from elsewhere, or after the loss of the manifest'],
  ],
  async run(args, cli) {
    const { prepareVerify } = await import('../../operations/prepare-verify.js');
    const run = await prepareVerify(args, cli);
    return cli.output.report(run);
  },
};
