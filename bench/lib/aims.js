import { median, ratios, table } from './table.js';

/** Each aim: whose figures of which section are compared, and what the ratio of medians may be at most or at least. */
const AIMS = [
  { aim: 'wall at most that of nodejs-polars', section: 'book', peer: 'nodejs-polars', most: 1 },
  { aim: 'CPU below that of nodejs-polars', section: 'book', peer: 'nodejs-polars', figure: 'cpu', most: 1 },
  { aim: 'at least 1.5 times as fast as DuckDB', section: 'book', peer: 'DuckDB', least: 1.5 },
  { aim: "output at most 0.85 of DuckDB's", section: 'book', peer: 'DuckDB', figure: 'output', most: 0.85 },
  {
    aim: 'four files: 1.2 times the rows/s of nodejs-polars',
    section: 'files',
    peer: 'nodejs-polars',
    least: 1.2,
  },
  { aim: 'NDJSON: 2 times as fast as DuckDB', section: 'ndjson', peer: 'DuckDB', least: 2 },
];

/** A line an aim, for the sections that were run. Of several ways of one peer, the best counts. */
export function formatAims(results) {
  const lines = AIMS.filter(({ section }) => section in results).map(
    ({ aim, section, peer, figure = 'wall', most, least }) => {
      const [own, ...others] = results[section];
      const ways = others.filter(({ name }) => name.startsWith(peer));
      const found = Math.max(...ways.map((way) => median(ratios(own, way, figure))));
      const value = least === undefined ? found : 1 / found;
      const isMet = least === undefined ? value <= most : value >= least;
      return [aim, value.toFixed(2), isMet ? 'met' : 'missed'];
    },
  );
  return table([['aim', 'found', ''], ...lines]);
}
