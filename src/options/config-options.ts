import { DOWNLOAD_OPTIONS, LAYOUT_OPTIONS, SELECTION_OPTIONS } from './day-file-options.js';
import { EXPORT_AFTER_OPTIONS } from './export-options.js';
import { optionsInScope } from './option-values.js';
import { ACCOUNT_OPTIONS, FOLDER_OPTIONS, GLOBAL_OPTIONS, STORE_OPTIONS } from './service-options.js';
import { SYNC_AUDIT_OPTIONS, SYNC_RUN_OPTIONS } from './sync-options.js';

/** Settings at the top of the config file. Those of downloads apply to all jobs. */
export const CONFIG_OPTIONS = optionsInScope('config', {
  ...FOLDER_OPTIONS,
  ...STORE_OPTIONS,
  ...GLOBAL_OPTIONS,
  'auth-url': ACCOUNT_OPTIONS['auth-url'],
  ...LAYOUT_OPTIONS,
  ...DOWNLOAD_OPTIONS,
  ...SYNC_RUN_OPTIONS,
} as const);

/** Settings of a job in the config file, besides its name and exchange. */
export const JOB_OPTIONS = optionsInScope('config', {
  ...SELECTION_OPTIONS,
  ...LAYOUT_OPTIONS,
  ...DOWNLOAD_OPTIONS,
  ...SYNC_AUDIT_OPTIONS,
  ...EXPORT_AFTER_OPTIONS,
} as const);
