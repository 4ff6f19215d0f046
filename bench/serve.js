// The local replay server, over HTTP and WebSocket, one client and twenty at once. See docs/benchmarks.md.
//   node bench/serve.js [--rounds <n>] [--scale <n>] [--only <section>]
// --rounds  number of rounds, each with all peers in turn (default 3)
// --scale   factor of 1 million trades and 1 million depth updates, or 3 and 5 million rows of day files (default 1)
// --only    cache, files or first; repeatable
// --cluster-mode  our servers run in cluster mode; CPU and peak are then those of the first process
// --type    data types of the first two sections, or raw; repeatable
// TICKHAUL_OLD is the path of an older build's command, which then runs beside the new one.
// TARDIS_MACHINE is the folder of the vendor's server, built; TARDIS_MACHINE_NODE a Node that both then run on.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { warmPeers } from './feeds/peers.js';
import { DEPTH, makeSlices, TRADES } from './feeds/slices.js';
import { dayFile } from './lib/day-file.js';
import { KINDS } from './lib/kinds.js';
import { replayFolder } from './lib/replay-folder.js';
import { messagesOf } from './lib/replay-peers.js';
import { withScratch } from './lib/scratch.js';
import { readOptions, report, runSections } from './lib/sections.js';
import { OLD_TICKHAUL, startFeeds, startServer, TICKHAUL } from './lib/service.js';
import { median, table } from './lib/table.js';
import { DAY } from './rows/clock.js';
import { askedOfDayFiles, askedOfFeeds, lastOf } from './serve/asked.js';
import { clientsOf, countingClients, resultOf, SUBSCRIBING, servedToAll } from './serve/peers.js';
import { formatAims, startBesideVendor } from './serve/vendor.js';

const run = promisify(execFile);
const MILLION = 1_000_000;
const FIRSTS = 20;

const options = readOptions({
  type: { type: 'string', multiple: true },
  'cluster-mode': { type: 'boolean', default: false },
});
const { rounds, scale } = options;
const [BOOK, TRADE_ROWS] = KINDS;

const OF_FEEDS = [
  [TRADES, [undefined, 'trade', 'trade_bar_1m']],
  [DEPTH, [undefined, 'book_change', 'book_snapshot_10_100ms']],
];
const OF_DAY_FILES = [
  [TRADE_ROWS, ['trade', 'trade_bar_1m'], 'trade'],
  [BOOK, ['book_change', 'book_snapshot_10_100ms'], 'book_change'],
];
const GUNZIP = 'gunzip alone, in Node';
const SECTIONS = { cache, files, first };

const sections = [];

await runSections(SECTIONS, options);
if (process.env.TARDIS_MACHINE) {
  process.stdout.write(`\n### One client, beside the vendor's server\n\n${formatAims(sections)}\n`);
}

async function cache() {
  for (const [feed, types] of OF_FEEDS) {
    for (const type of types.filter(isAsked)) {
      await withScratch(async (scratch, cleanUp) => {
        const slices = await makeSlices(feed, Math.round(MILLION * scale));
        const service = await startFeeds(slices.folder, 0);
        cleanUp(service.stop);
        const flags = ['--cache-dir', slices.folder];
        const servers = await startBuilds(flags, service.env, cleanUp, type === undefined);
        const asked = (count) => askedOfFeeds(feed, type, count);
        const besideVendor = await startBesideVendor(slices, service, scratch, cleanUp, type === undefined);
        const clients = [
          ...clientsOf(servers, asked, slices.messages),
          ...clientsOf(besideVendor, asked, slices.messages, [1]),
        ];
        const besides = warmPeers(feed, slices, service, type).filter(({ name }) => name === GUNZIP);
        const name = type ?? `raw of ${feed.name}`;
        const runs = await reportServed(`${name}, from the cache`, scratch, [...clients, ...besides]);
        sections.push({ name, source: 'cache', runs });
      });
    }
  }
}

async function files() {
  for (const [kind, types, source] of OF_DAY_FILES) {
    if (!types.some(isAsked)) continue;
    const { path } = await dayFile(kind, { scale });
    await withScratch(async (scratch, cleanUp) => {
      const place = await replayFolder(scratch, [path]);
      const messages = await messagesOf(place, kind, source);
      const period = { day: DAY, last: await lastOf(path) };
      const servers = await startBuilds(['--source', 'datasets', '--offline'], place.env, cleanUp);
      for (const type of types.filter(isAsked)) {
        const clients = clientsOf(servers, (count) => askedOfDayFiles(kind, type, period, count), messages);
        const runs = await reportServed(`${type}, from day files`, scratch, clients);
        sections.push({ name: type, source: 'files', runs });
      }
    });
  }
}

/** Time to the first message from a warm cache of a running server: one client after the other. */
async function first() {
  await withScratch(async (scratch, cleanUp) => {
    const slices = await makeSlices(TRADES, Math.round(MILLION * scale));
    const service = await startFeeds(slices.folder, 0);
    cleanUp(service.stop);
    const { server } = await startBuilds(
      ['--cache-dir', slices.folder],
      service.env,
      cleanUp,
      false,
      'server',
    );
    const lines = [];
    for (const type of [undefined, 'trade']) {
      for (const [way, requests] of Object.entries(askedOfFeeds(TRADES, type, 1))) {
        const waits = [];
        for (let at = 0; at < FIRSTS; at++) {
          const [program, ...args] = countingClients(server, way, requests, scratch, true);
          await run(program, args);
          const subscribing = type === undefined && way === 'ws' ? SUBSCRIBING : 0;
          waits.push(((await resultOf(scratch)).first - subscribing) * 1000);
        }
        const path = requests[0].path.split('?')[0];
        lines.push([path, median(waits).toFixed(0), Math.max(...waits).toFixed(0)]);
      }
    }
    const rows = table([['', 'median ms', 'longest ms'], ...lines]);
    process.stdout.write(`\n### The first message, ${FIRSTS} times each\n\n${rows}\n`);
  });
}

/** Servers of each build, by the prefix of a peer's name. */
async function startBuilds(flags, env, cleanUp, isRaw = false, name = '') {
  const servers = {};
  const mode = options['cluster-mode'] ? ['--cluster-mode'] : [];
  for (const [build, bin] of [[name, TICKHAUL], ...(OLD_TICKHAUL ? [['older, ', OLD_TICKHAUL]] : [])]) {
    const server = await startServer([bin, 'serve', '--port', '0', ...mode, ...flags], { env });
    cleanUp(server.stop);
    servers[build] = { ...server, isRaw };
  }
  return servers;
}

async function reportServed(title, scratch, peers) {
  const messages = `${peers[0].rows.toLocaleString('en')} source messages`;
  return report(`${title}: ${messages}`, peers, { rounds, scratch, check: servedToAll() });
}

function isAsked(type) {
  return options.type?.includes(type ?? 'raw') ?? true;
}
