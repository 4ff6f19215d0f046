import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { link, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { gzipSync } from 'node:zlib';
import { addDays, parseDay } from '../../src/day-files/day.js';
import { dayFileName } from '../../src/day-files/layout.js';
import type { PlannedFile } from '../../src/download/download-options.js';
import { runDownloadJobs } from '../../src/download/run-download-jobs.js';
import { createServiceClient } from '../../src/service/service-client.js';
import { openFolderDestination } from '../../src/store/folder/folder-destination.js';
import { openFolderManifest } from '../../src/store/folder/folder-manifest.js';
import { type ManifestRecord, markChecked } from '../../src/store/manifest-record.js';
import { DOWNLOAD_DEFAULTS } from '../helpers/download-settings.js';
import { nightlyTest } from '../helpers/services.js';
import { tempDir } from '../helpers/temp.js';

const JOBS = 10;
const FILES_PER_JOB = 20_000;
const TOTAL = JOBS * FILES_PER_JOB;
/** A promise and an entry of a map take several times this. */
const MAX_HEAP_BYTES_PER_FILE = 40;
const TEXT = 'exchange,symbol,timestamp,local_timestamp,id,side,price,amount\n';

nightlyTest('ten jobs that read 200,000 present files keep nothing of a file that is done', async (t) => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const dir = await tempDir(t);
  const bytes = gzipSync(TEXT);
  const [md5, sha256] = ['md5', 'sha256'].map((name) => createHash(name).update(bytes).digest('hex'));
  const manifest = await openFolderManifest(dir, { warn: assert.fail });
  const plans = Array.from(
    { length: JOBS },
    (_, job) =>
      function* files(): Generator<PlannedFile> {
        for (let i = 0; i < FILES_PER_JOB; i++) {
          const file = {
            exchange: 'x',
            dataType: 'trades',
            symbol: `J${job}`,
            day: addDays(parseDay('1970-01-01'), i),
          };
          const path = `${job}/${dayFileName(file)}.csv.gz`;
          yield { file, path, mayBeAbsent: false, outputs: [], status: 'skip', action: 'check' };
        }
      },
  );
  for (const [job, files] of plans.entries()) {
    await mkdir(join(dir, `${job}`));
    // A file may have 65,000 links.
    await writeFile(join(dir, `one${job}`), bytes);
    const writing: Promise<void>[] = [];
    for (const { file, path } of files()) {
      await link(join(dir, `one${job}`), join(dir, path));
      const record = { file, path, bytes: bytes.length, md5, sha256, md5Match: null, rows: 0 };
      const rest = { ...markChecked(sha256 ?? ''), time: '2024-01-01T00:00:00.000Z', version: '0' };
      writing.push(manifest.append({ ...record, ...rest } as ManifestRecord));
    }
    await Promise.all([...writing, manifest.flush()]);
  }

  const client = createServiceClient({
    apiUrl: 'http://127.0.0.1:9',
    datasetsUrl: 'http://127.0.0.1:9',
    stallTimeoutMs: 5000,
    env: {},
  });
  let verified = 0;
  const heap: number[] = [];
  const summaries = await runDownloadJobs(
    {
      place: { destination: openFolderDestination(dir), manifest, partSuffix: undefined },
      options: DOWNLOAD_DEFAULTS,
      emit(event) {
        if (event.event !== 'file') return;
        assert.equal(event.status, 'verified');
        if (++verified % (TOTAL / 10) !== 0) return;
        collectGarbage();
        heap.push(process.memoryUsage().heapUsed);
      },
      signal: new AbortController().signal,
    },
    plans.map((files, job) => ({ name: `${job}`, client, plan: { options: DOWNLOAD_DEFAULTS, files } })),
  );
  await manifest.close();
  await client.close();
  assert.deepEqual(
    summaries.map(({ counts }) => counts),
    plans.map(() => ({ verified: FILES_PER_JOB })),
  );
  const [first = 0, last = 0] = [heap[0], heap.at(-1)];
  const perFile = (last - first) / (TOTAL * 0.9);
  assert.ok(perFile < MAX_HEAP_BYTES_PER_FILE, `${perFile} bytes a file: ${heap.join(' ')}`);
});
