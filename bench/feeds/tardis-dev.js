// Replays with the vendor's client: node tardis-dev.js <JSON of the request>
// It counts the messages, or writes them as JSON lines if requested.
import { once } from 'node:events';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const tardis = require('tardis-dev');

const { type, lines, cacheDir, endpoint, exchange, symbols, filters, from, to } = JSON.parse(process.argv[2]);
const WRITE = 512 * 1024;

tardis.init({ cacheDir, ...(endpoint && { endpoint: `${endpoint}/v1` }) });
let count = 0;
let text = '';
for await (const message of messages()) {
  count++;
  if (!lines) continue;
  text += `${type === undefined ? rawLine(message) : JSON.stringify(message)}\n`;
  if (text.length >= WRITE) await write();
}
await write();
process.stderr.write(`${count} messages\n`);
process.exit(0);

function messages() {
  if (type === undefined) return tardis.replay({ exchange, from, to, filters, skipDecoding: true });
  const { normalizeTrades, normalizeBookChanges, computeTradeBars, computeBookSnapshots } = tardis;
  const options = { exchange, symbols: symbols.map((symbol) => symbol.toUpperCase()), from, to };
  const trades = () => tardis.replayNormalized(options, normalizeTrades);
  const books = () => tardis.replayNormalized(options, normalizeBookChanges);
  switch (type) {
    case 'trade':
      return trades();
    case 'book_change':
      return books();
    case 'trade_bar_1m':
      return only('trade_bar', trades(), computeTradeBars({ kind: 'time', interval: 60_000, name: type }));
    default:
      return only('book_snapshot', books(), computeBookSnapshots({ depth: 10, interval: 100, name: type }));
  }
}

/** Computes types from messages, without the messages themselves. */
async function* only(name, messages, computable) {
  for await (const message of tardis.compute(messages, computable)) if (message.type === name) yield message;
}

function rawLine({ localTimestamp, message }) {
  return `{"localTimestamp":"${localTimestamp.latin1Slice()}","message":${message.utf8Slice()}}`;
}

async function write() {
  if (text !== '' && !process.stdout.write(text)) await once(process.stdout, 'drain');
  text = '';
}
