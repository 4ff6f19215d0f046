// Downloads from the embedded service: tickhaul beside curl and the vendor's client. See docs/benchmarks.md.
//   node bench/download.js [--rounds <n>] [--only small|large]
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { compare, sizeOf, wholeFiles } from './lib/compare.js';
import { makeLargeFiles, makeSmallFiles } from './lib/data.js';
import { curl, curlThenGzip, makeCertificate, tardisDev, tickhaul } from './lib/peers.js';
import { withScratch } from './lib/scratch.js';
import { startService, startTls } from './lib/service.js';
import { formatRuns } from './lib/table.js';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, only: { type: 'string' } },
});
const rounds = Math.max(1, Number(values.rounds) || 5);

process.stdout.write(
  `${availableParallelism()} processors, Node ${process.version}, median of ${rounds} rounds\n`,
);
if (values.only !== 'large') await withScratch(smallFiles);
if (values.only !== 'small') await withScratch(largeFiles);

/** Many small files, dominated by waiting for responses. */
async function smallFiles(scratch, cleanUp) {
  const source = join(scratch, 'source');
  const files = await makeSmallFiles(source, {
    symbols: Array.from({ length: 60 }, (_, at) => `COIN${at + 10}USDT`),
    types: ['quotes', 'trades'],
    days: ['2024-03-01', '2024-03-02', '2024-03-03'],
  });
  const service = await startService('--latency', '50ms', '--replay-dir', source);
  cleanUp(service.stop);
  makeCertificate(scratch);
  const tls = await startTls(service.env.TICKHAUL_DATASETS_URL, scratch);
  cleanUp(tls.stop);
  await report('small files, 50 ms before each answer', source, files, scratch, [
    tickhaul(service, 'tickhaul'),
    tickhaul(service, 'tickhaul -j 20', '-j', '20'),
    curl(service, 'curl --parallel (50 at once)'),
    curl(service, 'curl --parallel --parallel-max 20', '--parallel-max', '20'),
    tardisDev(service, tls, scratch),
  ]);
}

/** Few large files, dominated by checking them. */
async function largeFiles(scratch, cleanUp) {
  const source = join(scratch, 'source');
  const files = await makeLargeFiles(source, {
    symbols: Array.from({ length: 8 }, (_, at) => `COIN${at + 10}USDT`),
    type: 'incremental_book_L2',
    day: '2024-03-01',
    bytes: 64_000_000,
  });
  const service = await startService('--replay-dir', source);
  cleanUp(service.stop);
  await report('large files', source, files, scratch, [
    tickhaul(service, 'tickhaul'),
    curlThenGzip(service, 'curl --parallel, gzip -t over two'),
    curl(service, 'curl --parallel alone (nothing checked)'),
  ]);
}

async function report(title, source, files, scratch, peers) {
  const { bytes } = await sizeOf(source);
  const check = wholeFiles(files.length, bytes);
  // The service hashes a file on its first request.
  await compare(peers.slice(0, 1), { files, rounds: 1, scratch, onRun: () => {}, check });
  const onRun = ({ name }, round, { wall }) =>
    process.stderr.write(`round ${round + 1}: ${name} ${wall.toFixed(2)} s\n`);
  const runs = await compare(peers, { files, rounds, scratch, onRun, check });
  process.stdout.write(`\n${files.length} ${title}, ${(bytes / 1e6).toFixed(1)} MB\n\n${formatRuns(runs)}\n`);
}
