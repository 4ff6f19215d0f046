import type { ManifestRecord } from '../manifest-record.js';
import { sortByPath } from './lock-file.js';

/** A list that `md5sum -c` or `sha256sum -c` takes, run in the download folder (GNU coreutils, md5sum invocation). */
export function* formatChecksums(
  records: readonly ManifestRecord[],
  format: 'md5sum' | 'sha256sum',
): Generator<string> {
  for (const { path, md5, sha256, dropped } of sortByPath(records)) {
    // A CSV that was deleted on purpose would be said to be missing.
    if (dropped) continue;
    const isEscaped = /[\n\r]/.test(path);
    const name = path.replaceAll('\n', '\\n').replaceAll('\r', '\\r');
    yield `${isEscaped ? '\\' : ''}${format === 'md5sum' ? md5 : sha256}  ${name}\n`;
  }
}
