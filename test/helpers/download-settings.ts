import { readDownloadOptions } from '../../src/commands/selection/read-selection.js';

/** The default options of a download. */
export const DOWNLOAD_DEFAULTS = readDownloadOptions({});
