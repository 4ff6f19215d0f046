// Replays of day files to a pipe, and bars of a day file as Parquet beside DuckDB. See docs/benchmarks.md.
//   node bench/replay.js [--rounds <n>] [--scale <n>] [--only <section>]
// --rounds  number of rounds, each with all peers in turn (default 3)
// --scale   factor of 3 million trades and 5 million rows of incremental_book_L2 (default 4); files are generated once
// --only    trades, books, bars or symbols; repeatable
import { barMakers, sameBars } from './lib/bar-makers.js';
import { dayFile } from './lib/day-file.js';
import { KINDS } from './lib/kinds.js';
import { makeSymbols, replayFolder } from './lib/replay-folder.js';
import { messagesOf, replays } from './lib/replay-peers.js';
import { withScratch } from './lib/scratch.js';
import { readOptions, report, runSections } from './lib/sections.js';

const options = readOptions({ scale: { type: 'string', default: '4' } });
const { rounds, scale } = options;
const [BOOK, TRADES] = KINDS;
const SYMBOLS = 500;

const SECTIONS = {
  trades: () => ofOneFile(TRADES, ['trade', 'trade_bar_1m'], 'trade'),
  books: () => ofOneFile(BOOK, ['book_change', 'book_snapshot_10_100ms', 'quote_1s'], 'book_change'),
  bars,
  symbols,
};

await runSections(SECTIONS, options);

/** @param source the type whose messages are the source messages of all. */
async function ofOneFile(kind, types, source) {
  const { path, rows } = await dayFile(kind, { scale });
  await withScratch(async (scratch) => {
    const place = await replayFolder(scratch, [path]);
    const messages = await messagesOf(place, kind, source);
    const title = `${count(rows)} rows of ${kind.name}, ${count(messages)} source messages`;
    await report(title, replays(place, kind, types, messages), { rounds, scratch });
  });
}

async function bars() {
  const { path, rows } = await dayFile(TRADES, { scale });
  await withScratch(async (scratch) => {
    const title = `bars of ${count(rows)} trades, to Parquet`;
    await report(title, barMakers(TRADES, path, rows), { rounds, scratch, check: sameBars() });
  });
}

/** Files with a five hundredth of the rows each. */
async function symbols() {
  for (const [kind, types] of [
    [TRADES, ['trade']],
    [BOOK, ['book_change', 'book_snapshot_10_100ms']],
  ]) {
    const part = await dayFile(kind, { scale: scale / SYMBOLS });
    await withScratch(async (scratch) => {
      const place = await replayFolder(scratch, await makeSymbols(scratch, part.path, SYMBOLS));
      const all = { ...kind, symbol: undefined };
      const messages = await messagesOf(place, all, types[0]);
      const title = `${SYMBOLS} symbols of ${kind.name}, ${count(messages)} source messages`;
      await report(title, replays(place, all, types, messages), { rounds, scratch });
    });
  }
}

function count(value) {
  return value.toLocaleString('en');
}
