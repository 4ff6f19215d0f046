// Replays of the raw data API, from a warm cache and from a service with 50 ms latency, beside the vendor's client and curl.
// See docs/benchmarks.md.
//   node bench/feeds.js [--rounds <n>] [--scale <n>] [--only <section>] [--symbols <n>]
// --rounds  number of rounds, each with all peers in turn (default 3)
// --scale   factor of 1 million trades and 1 million depth updates (default 1); slices are generated once per scale
// --only    cache, service, day or exchanges; repeatable
// --symbols number of symbols of one exchange (default 1, at most 4)
// --type    data types of the first two sections, or raw; repeatable
import { coldPeers, curl, onePeer, warmPeers } from './feeds/peers.js';
import {
  bytesOf,
  DEPTH,
  JSON_DEPTH,
  JSON_TRADES,
  LIGHTER_BOOKS,
  LIGHTER_TRADES,
  MEXC_DEPTH,
  MEXC_TRADES,
  makeSlices,
  SYMBOLS,
  TRADES,
  WHOLE_DAY,
} from './feeds/slices.js';
import { makeCertificate } from './lib/peers.js';
import { withScratch } from './lib/scratch.js';
import { readOptions, report, runSections } from './lib/sections.js';
import { startFeeds, startTls } from './lib/service.js';

const MILLION = 1_000_000;
const LATENCY_MS = 50;
/** Messages of the day with many small slices: 35 per minute. */
const DAY_MESSAGES = 1440 * 35;

const options = readOptions({
  type: { type: 'string', multiple: true },
  symbols: { type: 'string', default: '1' },
});
const { rounds, scale } = options;
const messages = Math.round(MILLION * scale);

/** The data types of each feed; undefined is raw data. */
const symbols = SYMBOLS.slice(0, Math.max(1, Number(options.symbols) || 1));
const ASKED = [
  [{ ...TRADES, symbols }, [undefined, 'trade', 'trade_bar_1m']],
  [{ ...DEPTH, symbols }, [undefined, 'book_change', 'book_snapshot_10_100ms']],
];
/** Feeds of exchanges that only tickhaul knows, beside those of Binance through JSON. */
const EXCHANGES = {
  trade: [JSON_TRADES, MEXC_TRADES, LIGHTER_TRADES],
  book_change: [JSON_DEPTH, MEXC_DEPTH, LIGHTER_BOOKS],
};
const SECTIONS = { cache, service, day, exchanges };

await runSections(
  Object.fromEntries(Object.entries(SECTIONS).map(([name, run]) => [name, () => withScratch(run)])),
  options,
);

async function cache(scratch, cleanUp) {
  await eachAsked(async (feed, type) => {
    const slices = await makeSlices(feed, messages);
    const service = await startFeeds(slices.folder, 0);
    cleanUp(service.stop);
    const title = `${type ?? 'raw'} of ${nameOf(feed)}, from the cache`;
    await reportFeed(title, slices, scratch, warmPeers(feed, slices, service, type));
  });
}

async function service(scratch, cleanUp) {
  makeCertificate(scratch);
  await eachAsked(async (feed, type) => {
    const slices = await makeSlices(feed, messages);
    const host = await startFeeds(slices.folder, LATENCY_MS);
    cleanUp(host.stop);
    const tls = await startTls(host.env.TICKHAUL_API_URL, scratch);
    cleanUp(tls.stop);
    const title = `${type ?? 'raw'} of ${nameOf(feed)}, from a service at ${LATENCY_MS} ms`;
    await reportFeed(title, slices, scratch, coldPeers(feed, slices, host, tls, scratch, type));
  });
}

async function day(scratch, cleanUp) {
  makeCertificate(scratch);
  const slices = await makeSlices(WHOLE_DAY, DAY_MESSAGES);
  const host = await startFeeds(slices.folder, LATENCY_MS);
  cleanUp(host.stop);
  const tls = await startTls(host.env.TICKHAUL_API_URL, scratch);
  cleanUp(tls.stop);
  await reportFeed(`a day of ${slices.paths.length} slices, at ${LATENCY_MS} ms`, slices, scratch, [
    curl('curl --parallel (50 at once)', WHOLE_DAY, slices, host),
    curl('curl --parallel --parallel-max 60', WHOLE_DAY, slices, host, '--parallel-max', '60'),
    ...coldPeers(WHOLE_DAY, slices, host, tls, scratch),
  ]);
}

async function exchanges(scratch, cleanUp) {
  for (const [type, feeds] of Object.entries(EXCHANGES)) {
    const peers = [];
    for (const feed of feeds) {
      const slices = await makeSlices(feed, messages);
      const host = await startFeeds(slices.folder, 0);
      cleanUp(host.stop);
      const size = `${(slices.bytes / slices.messages).toFixed(0)} bytes a message`;
      peers.push(onePeer(`${feed.exchange}, ${size}`, feed, slices, host, type));
    }
    const title = `${type} through JSON, one processor: ${messages.toLocaleString('en')} messages`;
    await report(title, peers, { rounds, scratch });
  }
}

async function eachAsked(work) {
  for (const [feed, types] of ASKED) {
    for (const type of types) if (options.type?.includes(type ?? 'raw') ?? true) await work(feed, type);
  }
}

function nameOf({ name, symbols }) {
  return symbols.length === 1 ? name : `${name} of ${symbols.length} symbols`;
}

async function reportFeed(title, slices, scratch, peers) {
  const compressed = await bytesOf(slices.paths);
  const sizes = `${(slices.bytes / 1e6).toFixed(0)} MB of text, ${(compressed / 1e6).toFixed(0)} MB of gzip`;
  const count = `${slices.messages.toLocaleString('en')} messages`;
  await report(`${title}: ${count}, ${sizes}`, peers, { rounds, scratch });
}
