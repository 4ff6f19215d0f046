import { mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fromDist } from '../lib/engine.js';
import { measure } from '../lib/measure.js';
import { formatRuns, median, table } from '../lib/table.js';

const MONTHS = 60;
const SEGMENTS_A_MONTH = 50;
const SEGMENTS = MONTHS * SEGMENTS_A_MONTH;
const CHILD = join(import.meta.dirname, 'manifest-child.js');
const PREFIX = '.tickhaul/manifest/binance/trades';

/**
 * Reads a manifest of a million records: that of a folder, and one with 3,000 segments, before and after compaction. The
 * store is a folder, so that only tickhaul is measured.
 */
export async function manifestSection(scratch, _cleanUp, { rounds, scale, onRun }) {
  const records = Math.round(1_000_000 * scale);
  const folder = join(scratch, 'folder');
  await fillFolder(folder, records);
  const runs = ['folder', 'segments', 'compaction', 'bases'].map((what) => ({
    name: NAMES[what],
    what,
    measured: [],
  }));
  for (let round = 0; round < rounds; round++) {
    const store = join(scratch, `store ${round}`);
    await fillStore(store, records);
    for (const { name, what, measured } of runs) {
      const command = [process.execPath, CHILD, what, what === 'folder' ? folder : store, String(records)];
      const one = await measure(command, {}, join(scratch, 'usage'));
      measured.push(one);
      onRun({ name }, round, one);
    }
  }
  const [disk, segments, , bases] = runs;
  const aims = [segments, bases].flatMap((run) => [
    aimOf(run, disk, 'cpu', 'CPU', 1.5),
    aimOf(run, disk, 'memory', 'memory', 1.3),
  ]);
  const title = `${records.toLocaleString('en')} records in ${SEGMENTS.toLocaleString('en')} segments`;
  return `${title}\n\n${formatRuns(runs)}\n\n${table([['', 'aim', 'found', ''], ...aims])}`;
}

const NAMES = {
  folder: 'opened, of a folder',
  segments: 'opened, in segments',
  compaction: 'compacted',
  bases: 'opened, compacted',
};

function aimOf(run, disk, figure, word, most) {
  const found = median(run.measured.map((one, round) => one[figure] / disk.measured[round][figure]));
  const verdict = found <= most ? 'met' : 'missed';
  return [run.name, `${word} at most ${most} of a folder's`, found.toFixed(2), verdict];
}

async function fillFolder(folder, records) {
  const { formatManifestLine } = await fromDist('store/manifest/manifest-line.js');
  await mkdir(join(folder, '.tickhaul'), { recursive: true });
  const manifest = await open(join(folder, '.tickhaul', 'manifest.jsonl'), 'w');
  for (let n = 0; n < SEGMENTS; n++) {
    await manifest.appendFile([...recordsOf(n, records)].map(formatManifestLine).join(''));
  }
  await manifest.close();
}

async function fillStore(folder, records) {
  const { formatSegmentLine } = await fromDist('store/s3/bucket-manifest/newest-records.js');
  const { segmentName } = await fromDist('store/s3/bucket-manifest/manifest-objects.js');
  for (let n = 0; n < SEGMENTS; n++) {
    const month = join(folder, PREFIX, monthOf(n));
    await mkdir(month, { recursive: true });
    const written = Date.UTC(2026, 0, 1) + n;
    const lines = [...recordsOf(n, records)].map((record) => formatSegmentLine({ record, written }));
    await writeFile(join(month, segmentName(written, 'bench', n)), `${lines.join('\n')}\n`);
  }
}

/** Records of one segment: its share of the whole. */
function* recordsOf(segment, records) {
  const first = Math.floor((segment * records) / SEGMENTS);
  const end = Math.floor(((segment + 1) * records) / SEGMENTS);
  // Series continue from month to month, and each day of a series occurs once.
  const symbols = Math.ceil(records / MONTHS / 28) + 1;
  const [year, month] = monthOf(segment).split('-').map(Number);
  for (let n = first; n < end; n++) {
    const day = Date.UTC(year, month - 1, 1 + (n % 28)) / 86_400_000;
    const symbol = `COIN${Math.floor(n / 28) % symbols}USDT`;
    yield {
      file: { exchange: 'binance', dataType: 'trades', symbol, day },
      path: `exchange=binance/data_type=trades/dataset_symbol=${symbol}/date=${day}/binance_trades_${day}_${symbol}.csv.gz`,
      bytes: 1_000_000 + n,
      md5: '7029066c27ac6f5ef18d660d5741979a',
      sha256: 'f61f27bd17de546264aa58f40f3aafaac7021e0ef69c17f6b1b4cd7664a037ec',
      md5Match: true,
      rows: 100_000 + n,
      time: '2026-01-01T00:00:00.000Z',
      version: '0.1.0',
      object: { etag: '7029066c27ac6f5ef18d660d5741979a' },
    };
  }
}

function monthOf(segment) {
  const month = Math.floor(segment / SEGMENTS_A_MONTH);
  return new Date(Date.UTC(2020, month, 1)).toISOString().slice(0, 7);
}
