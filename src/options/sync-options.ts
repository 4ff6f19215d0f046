import { SHARD_OPTIONS } from './day-file-options.js';
import { groupOptions } from './option-definition.js';
import { FOLDER_OPTIONS, LOCK_OPTIONS } from './service-options.js';

/** Audit of what a run downloads; a setting of single jobs too. */
export const SYNC_AUDIT_OPTIONS = groupOptions('Sync:', {
  audit: { type: 'flag', description: 'audit each file on arrival' },
});

/** A run of the jobs of a config file. */
export const SYNC_RUN_OPTIONS = groupOptions('Sync:', {
  job: { type: 'text', description: 'only the job with this name', scopes: ['flag', 'library'] },
  ...FOLDER_OPTIONS,
  wait: { type: 'flag', description: 'wait until yesterday (UTC) is exported; polls every 1 to 10 minutes' },
  timeout: {
    type: 'duration',
    description: 'with --wait: after this long, continue with the available days (exit code 7)',
  },
  ...SHARD_OPTIONS,
  'max-duration': {
    type: 'duration',
    description: 'start no more files after this long, such as 4h (exit code 5 if files are left)',
  },
  ...LOCK_OPTIONS,
  ...SYNC_AUDIT_OPTIONS,
  'on-success': {
    type: 'text',
    description: 'shell command to run after success, with the summary as JSON on stdin',
  },
  'on-failure': {
    type: 'text',
    description: 'shell command to run after a failure, with the summary as JSON on stdin',
  },
  ping: {
    type: 'text',
    description:
      "URL of a heartbeat monitor (dead man's switch): pinged at the start (/start), on success, and on failure (/fail)",
  },
});
