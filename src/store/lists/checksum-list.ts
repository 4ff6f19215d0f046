import type { ManifestRecord } from '../manifest-record.js';
import { sortByPath } from './lock-file.js';

/** Formats a list for `md5sum -c` or `sha256sum -c` (docs/spec/manifest.md#checksum-lists). */
export function* formatChecksums(
  records: readonly ManifestRecord[],
  format: 'md5sum' | 'sha256sum',
): Generator<string> {
  for (const { path, md5, sha256, dropped } of sortByPath(records)) {
    // The check would report a CSV that was deleted on purpose as missing.
    if (dropped) continue;
    const isEscaped = /[\n\r]/.test(path);
    const name = path.replaceAll('\n', '\\n').replaceAll('\r', '\\r');
    yield `${isEscaped ? '\\' : ''}${format === 'md5sum' ? md5 : sha256}  ${name}\n`;
  }
}
