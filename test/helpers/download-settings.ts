import { readDownloadOptions } from '../../src/operations/selection/read-selection.js';

/** The default options of a download. */
export const DOWNLOAD_DEFAULTS = readDownloadOptions({});
