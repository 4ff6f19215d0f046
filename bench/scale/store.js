// Downloads to an object store beside downloads to a disk: CPU per gigabyte, and memory.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import {
  CreateBucketCommand,
  DeleteObjectsCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3';
import { compare, sizeOf, wholeFiles } from '../lib/compare.js';
import { makeLargeFiles, nameOf } from '../lib/data.js';
import { fromTests } from '../lib/engine.js';
import { startService, TICKHAUL } from '../lib/service.js';
import { formatRuns, median, ratios, table } from '../lib/table.js';

const FILES = 10;
const BYTES = 48_000_000;
const GIGABYTE = 1e9;
const MAX_MEMORY_BYTES = 300e6;
/** CPU per gigabyte for the store, and for a disk if both were measured. */
const [STORE_CPU, DISK_CPU] = [26, 21];

/**
 * Ten files at once, with each peer in turn. The store is Ceph's gateway on the same processors; its CPU time is not
 * counted. @returns the tables, or a message why there are none.
 */
export async function storeSection(scratch, cleanUp, { rounds, onRun }) {
  const { NO_STORE, startGateway } = await fromTests('helpers/s3/gateway.js');
  if (NO_STORE) return `Not measured: ${NO_STORE}.`;
  const source = join(scratch, 'source');
  const files = await makeLargeFiles(source, {
    symbols: Array.from({ length: FILES }, (_, at) => `COIN${at + 10}USDT`),
    type: 'incremental_book_L2',
    day: '2024-03-01',
    bytes: BYTES,
  });
  const { bytes } = await sizeOf(source);
  const service = await startService('--replay-dir', source);
  cleanUp(service.stop);
  const gateway = await startGateway();
  cleanUp(gateway.stop);
  const bucket = bucketsOf(gateway);
  const folder = wholeFiles(files.length, bytes);
  const peers = [
    download('to a disk', service, folder),
    download('to the store', service, bucket.check, bucket),
  ];
  const check = (peer, output) => peer.check(peer, output);
  const expected = files.map((file) => nameOf(file)).sort();
  bucket.expect(expected, bytes);
  // The service hashes a file on its first request.
  await compare(peers.slice(0, 1), { files, rounds: 1, scratch, onRun: () => {}, check });
  const runs = await compare(peers, { files, rounds, scratch, onRun, check });
  const title = `${files.length} files of ${BYTES / 1e6} MB at once, ${(bytes / 1e6).toFixed(0)} MB`;
  return `${title}\n\n${formatRuns(runs)}\n\n${formatAims(runs, bytes)}`;
}

function download(name, { env }, check, bucket) {
  const words = [
    'download',
    'binance-futures',
    '-t',
    'incremental_book_L2',
    '-s',
    'all',
    '--date',
    '2024-03-01',
  ];
  return {
    name,
    check,
    command: async (folder) => {
      const dir = bucket ? await bucket.make() : folder;
      const command = [process.execPath, TICKHAUL, ...words, '-j', String(FILES), '--dir', dir];
      // No copy of the exchange record, as on a new machine.
      return [command, { ...env, ...bucket?.env, XDG_CACHE_HOME: join(folder, '.cache') }];
    },
  };
}

/** A bucket for each run, emptied afterwards, since its storage is memory. */
function bucketsOf({ endpoint, accessKeyId, secretAccessKey }) {
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = 'true';
  const credentials = { accessKeyId, secretAccessKey };
  const client = new S3Client({ endpoint, region: 'us-east-1', credentials, forcePathStyle: true });
  let Bucket;
  let expected;
  return {
    env: {
      AWS_ENDPOINT_URL_S3: endpoint,
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
    },
    expect(names, bytes) {
      expected = JSON.stringify([names, bytes]);
    },
    async make() {
      Bucket = `bench-${randomBytes(6).toString('hex')}`;
      await client.send(new CreateBucketCommand({ Bucket }));
      return `s3://${Bucket}`;
    },
    async check() {
      const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket }));
      const Objects = Contents.map(({ Key }) => ({ Key }));
      await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }));
      const day = Contents.filter(({ Key }) => Key.endsWith('.csv.gz'));
      const found = JSON.stringify([day.map(({ Key }) => Key), day.reduce((sum, { Size }) => sum + Size, 0)]);
      if (found !== expected) throw new Error(`the store has ${found}, not ${expected}`);
    },
  };
}

function formatAims([disk, store], bytes) {
  const perGigabyte = ({ measured }) => (median(measured.map(({ cpu }) => cpu)) / bytes) * GIGABYTE;
  const memory = Math.max(...store.measured.map((one) => one.memory));
  const most = STORE_CPU / DISK_CPU;
  const ratio = median(ratios(store, disk, 'cpu'));
  const met = (is) => (is ? 'met' : 'missed');
  return table([
    ['aim', 'found', ''],
    [
      `CPU at most ${most.toFixed(2)} of a disk's (${STORE_CPU} s/GB beside ${DISK_CPU})`,
      `${ratio.toFixed(2)}: ${perGigabyte(store).toFixed(1)} s/GB beside ${perGigabyte(disk).toFixed(1)}`,
      met(ratio <= most),
    ],
    [
      `memory under ${MAX_MEMORY_BYTES / 1e6} MB`,
      `${(memory / 1e6).toFixed(0)} MB`,
      met(memory < MAX_MEMORY_BYTES),
    ],
  ]);
}
