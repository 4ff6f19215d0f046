import { median, ratios, table } from './table.js';

const POLARS = 'nodejs-polars';
const WALLS = {
  incremental_book_L2: 0.75,
  trades: 0.75,
  quotes: 0.75,
  derivative_ticker: 0.95,
  book_snapshot_25: 0.95,
  options_chain: 1.1,
};
const TWICE_DUCKDB = ['incremental_book_L2', 'trades', 'quotes'];
const MEMORY = 300e6;

/**
 * Each aim: its section, and the maximum ratio of our figure to that of a peer; or, by `least`, the minimum ratio of
 * its figure to ours. Ratios are medians over the rounds.
 */
const AIMS = [
  ...Object.entries(WALLS).flatMap(([section, most]) => [
    { section, aim: `wall at most ${most} of ${POLARS}`, peer: POLARS, most },
    { section, aim: `CPU at most 0.9 of ${POLARS}`, peer: POLARS, figure: 'cpu', most: 0.9 },
    ...(TWICE_DUCKDB.includes(section)
      ? [{ section, aim: "twice DuckDB's speed", peer: 'DuckDB', least: 2 }]
      : []),
    { section, aim: 'output no larger than before', peer: 'older tickhaul', figure: 'output', most: 1 },
    { section: `${section} to NDJSON`, aim: "2.5 times DuckDB's speed", peer: 'DuckDB', least: 2.5 },
  ]),
  { section: 'files', aim: `1.2 times the rows/s of ${POLARS}`, peer: POLARS, least: 1.2 },
];

/** One line per aim, for the sections that ran. Among several variants of a peer, the best counts. */
export function formatAims(results) {
  const lines = [
    ...AIMS.flatMap((aim) => againstPeer(aim, results[aim.section])),
    ...Object.entries(results).map(([section, [own]]) => {
      const found = Math.max(...own.measured.map(({ memory }) => memory));
      const text = `${(found / 1e6).toFixed(0)} MB`;
      return [section, 'memory under 300 MB', text, found < MEMORY ? 'met' : 'missed'];
    }),
    ...downloadAim(results['download --convert']),
  ];
  return table([['', 'aim', 'found', ''], ...lines]);
}

function againstPeer({ section, aim, peer, figure = 'wall', most, least }, runs) {
  const [own, ...others] = runs ?? [];
  const ways = others.filter(({ name }) => name.startsWith(peer));
  if (ways.length === 0) return [];
  const found = Math.max(...ways.map((way) => median(ratios(own, way, figure))));
  // The rounded ratio counts: a few bytes of a footer are no larger output.
  const value = Number((least === undefined ? found : 1 / found).toFixed(2));
  const isMet = least === undefined ? value <= most : value >= least;
  return [[section, aim, value.toFixed(2), isMet ? 'met' : 'missed']];
}

/** The CPU time of one command beside the sum of the two that do the same. */
function downloadAim(runs) {
  if (!runs) return [];
  const [both, download, convert] = runs.map(({ measured }) => measured.map(({ cpu }) => cpu));
  const found = median(both.map((cpu, round) => cpu / (download[round] + convert[round])));
  const isMet = found <= 1.1;
  return [
    [
      'download --convert',
      "CPU at most 1.1 of download's and convert's",
      found.toFixed(2),
      isMet ? 'met' : 'missed',
    ],
  ];
}
