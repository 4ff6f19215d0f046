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
/** Aims of `--processors`, by the number of processors. */
const WALLS_ON = {
  incremental_book_L2: { 4: 0.75, 8: 0.9, 16: 0.75 },
  trades: { 4: 0.75, 8: 0.9, 16: 0.55 },
  quotes: { 4: 0.75, 8: 0.9, 16: 0.65 },
  derivative_ticker: { 4: 0.95, 8: 0.9, 16: 0.85 },
  book_snapshot_25: { 4: 0.95, 8: 0.9, 16: 0.85 },
  options_chain: { 4: 0.95, 8: 0.9, 16: 0.9 },
  'sixteen files': { 16: 0.6 },
};
const SHARE_SECTION = sectionOn('sixteen files', 16);
const TWICE_DUCKDB = ['incremental_book_L2', 'trades', 'quotes'];
const MEMORY = 300e6;

/**
 * Each aim: its section, and the maximum ratio of our figure to that of a peer; or, by `least`, the minimum ratio of
 * its figure to ours. Ratios are medians over the rounds.
 */
const AIMS = [
  ...Object.entries(WALLS).flatMap(([section, most]) => [
    wallAim(section, most),
    { section, aim: `CPU at most 0.9 of ${POLARS}`, peer: POLARS, figure: 'cpu', most: 0.9 },
    ...(TWICE_DUCKDB.includes(section)
      ? [{ section, aim: "twice DuckDB's speed", peer: 'DuckDB', least: 2 }]
      : []),
    { section, aim: 'output no larger than before', peer: 'older tickhaul', figure: 'output', most: 1 },
    { section: `${section} to NDJSON`, aim: "2.5 times DuckDB's speed", peer: 'DuckDB', least: 2.5 },
  ]),
  ...Object.entries(WALLS_ON).flatMap(([name, walls]) =>
    Object.entries(walls).map(([processors, most]) => wallAim(sectionOn(name, processors), most)),
  ),
  { section: 'files', aim: `1.2 times the rows/s of ${POLARS}`, peer: POLARS, least: 1.2 },
];

/** The name of a section of `--processors`. */
export function sectionOn(name, processors) {
  return `${name} on ${processors} processors`;
}

/**
 * The CPU time of one file, times the number of files, over the processors, as a share of the wall time of all files;
 * by round.
 * @param runs all files first, one of them last.
 */
export function predictedShares(runs, processors) {
  const [all, one] = [runs[0], runs.at(-1)];
  const files = all.rows / one.rows;
  return all.measured.map(({ wall }, round) => (one.measured[round].cpu * files) / processors / wall);
}

/** One line per aim, for the sections that ran. Among several variants of a peer, the best counts. */
export function formatAims(results) {
  const lines = [
    ...AIMS.flatMap((aim) => againstPeer(aim, results[aim.section])),
    ...Object.entries(results).flatMap(([section, [own]]) => {
      if (section.endsWith(' processors')) return [];
      const found = Math.max(...own.measured.map(({ memory }) => memory));
      const text = `${(found / 1e6).toFixed(0)} MB`;
      return [[section, 'memory under 300 MB', text, found < MEMORY ? 'met' : 'missed']];
    }),
    ...shareAim(results[SHARE_SECTION]),
    ...downloadAim(results['download --convert']),
  ];
  return table([['', 'aim', 'found', ''], ...lines]);
}

function wallAim(section, most) {
  return { section, aim: `wall at most ${most} of ${POLARS}`, peer: POLARS, most };
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

function shareAim(runs) {
  if (!runs) return [];
  const found = median(predictedShares(runs, 16)).toFixed(2);
  const aim = 'at least 0.8 of what the CPU time of one file predicts';
  return [[SHARE_SECTION, aim, found, Number(found) >= 0.8 ? 'met' : 'missed']];
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
