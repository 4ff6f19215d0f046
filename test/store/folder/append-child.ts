/**
 * Appends records to a folder’s manifest: `node append-child.js <dir> <prefix> <count>`. Prints a dot for
 * each record.
 */
import { openFolderManifest } from '../../../src/store/folder/folder-manifest.js';
import { createTestRecord } from '../manifest/records.js';

const [dir = '', prefix = '', count = '0'] = process.argv.slice(2);
const manifest = await openFolderManifest(dir, { warn: (message) => process.stderr.write(`${message}\n`) });
for (let n = 0; n < Number(count); n += 5) {
  const burst = Array.from({ length: 5 }, (_, k) =>
    manifest.append(createTestRecord(`${prefix}/${n + k}.csv.gz`, n + k)),
  );
  await Promise.all(burst);
  process.stdout.write('.....');
}
await manifest.close();
