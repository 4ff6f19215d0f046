import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { compare, sizeOf, wholeFiles } from '../lib/compare.js';
import { makeSmallFiles } from '../lib/data.js';
import { startService, TICKHAUL } from '../lib/service.js';
import { formatRuns, median, ratios, table } from '../lib/table.js';
import { startRedis } from './redis.js';

const run = promisify(execFile);
const FROM = '2024-01-01';
const DAYS = 60;
const END = dayAfter(DAYS);
/** Concurrency of a download, and of all slices of a worker. */
const FILES_AT_ONCE = '20';
const SIZES = [
  { name: '64 KB', textBytes: 790_000, symbols: 100, most: 1.15 },
  { name: '1 MB', textBytes: 12_300_000, symbols: 10, most: 1.03 },
];

/** Files of two sizes from the embedded service to a disk, with one download and with one worker of a queue. */
export async function queueSection(scratch, cleanUp, { rounds, scale, onRun }) {
  const redis = await startRedis(scratch);
  cleanUp(redis.stop);
  const texts = [];
  const aims = [];
  for (const { name, textBytes, symbols, most } of SIZES) {
    const source = join(scratch, `source of ${name}`);
    const files = await makeSmallFiles(source, {
      symbols: Array.from({ length: Math.max(1, Math.round(symbols * scale)) }, (_, at) => `COIN${at}USDT`),
      types: ['incremental_book_L2'],
      days: Array.from({ length: DAYS }, (_, at) => dayAfter(at)),
      textBytes,
    });
    const { bytes } = await sizeOf(source);
    const service = await startService('--replay-dir', source);
    cleanUp(service.stop);
    const env = { ...service.env, ...redis.env };
    const peers = [download(env), ...[[], ['--slice', '1d']].map((flags) => worker(env, flags))];
    for (const peer of peers) peer.rows = files.length;
    const check = wholeFiles(files.length, bytes);
    // The service hashes a file on its first request.
    await compare(peers.slice(0, 1), { files, rounds: 1, scratch, onRun: () => {}, check });
    const runs = await compare(peers, { files, rounds, scratch, onRun, check });
    await service.stop();
    texts.push(`${files.length} files of ${name}, ${(bytes / 1e6).toFixed(0)} MB\n\n${formatRuns(runs)}`);
    aims.push(...aimsOf(name, runs, most));
  }
  return `${texts.join('\n\n### ')}\n\n${table([['', 'aim', 'found', ''], ...aims])}`;
}

const SELECTION = ['binance-futures', '-t', 'incremental_book_L2', '-s', 'all', '--from', FROM, '--to', END];

function download(env) {
  return {
    name: 'download',
    command: async (folder) => [
      [process.execPath, TICKHAUL, 'download', ...SELECTION, '-j', FILES_AT_ONCE, '--dir', folder, '--quiet'],
      withCache(env, folder),
    ],
  };
}

let queues = 0;

/** A worker of a queue that was filled before, since enqueueing is measured separately. */
function worker(env, flags) {
  return {
    name: flags.length > 0 ? 'worker, a file a slice' : 'worker, a month a slice',
    command: async (folder, _files, build = TICKHAUL) => {
      const queue = ['--queue', `bench-${queues++}`];
      const all = withCache(env, folder);
      const put = [
        'enqueue',
        ...SELECTION,
        '-j',
        FILES_AT_ONCE,
        '--dir',
        folder,
        ...flags,
        ...queue,
        '--quiet',
      ];
      await run(process.execPath, [build, ...put], { env: { PATH: process.env.PATH, ...all } });
      // A month has enough files for all connections.
      const slices = flags.length > 0 ? FILES_AT_ONCE : '4';
      return [[process.execPath, TICKHAUL, 'worker', '--once', '-j', slices, ...queue, '--quiet'], all];
    },
  };
}

function withCache(env, folder) {
  return { ...env, XDG_CACHE_HOME: join(folder, '.cache') };
}

function aimsOf(name, [own, ...queued], most) {
  return queued.map((one) => {
    const found = median(ratios(one, own, 'cpu'));
    return [
      `${name}, ${one.name}`,
      `CPU at most ${most} of a download's`,
      found.toFixed(2),
      found <= most ? 'met' : 'missed',
    ];
  });
}

function dayAfter(days) {
  return new Date(Date.parse(FROM) + days * 86_400_000).toISOString().slice(0, 10);
}
