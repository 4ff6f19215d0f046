// A stand-in of the raw data API on loopback: node service.js <folder of slices> <milliseconds before each answer>
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { SYMBOLS } from './slices.js';

const [folder, latency] = process.argv.slice(2);
const CHANNELS = ['trade', 'depth', 'depthSnapshot', 'order_book'];

const server = createServer((request, response) => {
  setTimeout(() => {
    answer(new URL(request.url, 'http://localhost'), response).catch((error) => {
      response.writeHead(404).end(String(error));
    });
  }, Number(latency));
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${server.address().port}\n`);
});

async function answer({ pathname, searchParams }, response) {
  const [, exchange] = /^\/v1\/data-feeds\/([a-z0-9-]+)$/.exec(pathname) ?? [];
  if (exchange === undefined) return sendRecord(pathname, response);
  const start = Date.parse(searchParams.get('from')) + Number(searchParams.get('offset')) * 60_000;
  const minutes = Number(searchParams.get('sliceSize') ?? 1);
  const key = createHash('sha256').update(searchParams.get('filters')).digest('hex');
  const slices = await Promise.all(
    Array.from({ length: minutes }, (_, at) => {
      const time = new Date(start + at * 60_000).toISOString().slice(0, 16);
      return readFile(join(folder, 'feeds', exchange, key, `${time.replace(/[-T:]/g, '/')}.json.gz`));
    }),
  );
  response.writeHead(200, {
    'content-encoding': 'gzip',
    'content-length': slices.reduce((sum, { length }) => sum + length, 0),
    'x-slice-size': minutes,
    'x-suggested-slice-size': 1,
  });
  for (const slice of slices) response.write(slice);
  response.end();
}

function sendRecord(pathname, response) {
  const symbols = [...SYMBOLS, '1'].map((id) => ({
    id,
    type: 'perpetual',
    availableSince: '2019-11-17T00:00:00.000Z',
  }));
  const record = {
    id: pathname.split('/').at(-1),
    name: 'Binance',
    enabled: true,
    availableSince: '2019-11-17T00:00:00.000Z',
    availableChannels: CHANNELS,
    availableSymbols: symbols,
    incidentReports: [],
  };
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(record));
}
