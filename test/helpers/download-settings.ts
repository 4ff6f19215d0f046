import { DOWNLOAD_READ, readDownloadOptions } from '../../src/operations/selection/read-selection.js';
import { readOptions } from '../../src/options/read-options.js';

/** The default options of a download. */
export const DOWNLOAD_DEFAULTS = readDownloadOptions(readOptions(DOWNLOAD_READ, {}));
