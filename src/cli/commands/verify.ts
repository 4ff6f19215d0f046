import { COMMAND_OPTIONS } from '../../options/command-options.js';
import { defineCommand } from '../arguments/define-flags.js';
import { runOperation } from '../run-command.js';

export const verifyCommand = defineCommand(COMMAND_OPTIONS.verify, {
  examples: [
    ['$0 verify', 'read every file of the download folder to its end'],
    ['$0 verify --quick', 'check presence and size only'],
    ['$0 verify --listed --dir s3://bucket/prefix', 'compare a listing of the store with the manifest'],
    ['$0 verify -t trades -s "BTC*"', 'only some data types and symbols'],
    ['$0 verify --repair --clean', 'download bad files again, and remove files left by killed runs'],
    ['$0 verify --cache', 'read every slice of raw data in the cache to its end'],
    ['$0 verify --adopt /data', 'record files from elsewhere, or after the loss of the manifest'],
  ],
  async run(options, cli) {
    const { runVerify } = await import('../../operations/verify.js');
    return runOperation(runVerify, options, cli);
  },
});
