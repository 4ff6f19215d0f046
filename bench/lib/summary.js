import { median, ratios, table } from './table.js';

/** All sections in one table, one line each: our figures, and our wall and CPU time relative to each peer (medians). */
export function formatSummary(results) {
  const lines = Object.entries(results).map(([section, [own, ...others]]) => [
    section,
    timesOf(own),
    megabytes(own, 'memory'),
    megabytes(own, 'output'),
    ...['nodejs-polars', 'DuckDB'].flatMap((name) => beside(own, others, name)),
    ...beside(own, others, 'older tickhaul').slice(1),
  ]);
  const peers = ['nodejs-polars', 'DuckDB'].flatMap((name) => [name, `tickhaul / ${name}`]);
  const header = ['', 'tickhaul', 'peak MB', 'output MB', ...peers, 'tickhaul / older'];
  return `Wall / CPU, in seconds and as ratios.\n\n${table([header, ...lines])}`;
}

/** Among several variants of a peer, the fastest counts. */
function beside(own, others, peer) {
  const [best] = others
    .filter(({ name }) => name.startsWith(peer))
    .toSorted((a, b) => middle(a, 'wall') - middle(b, 'wall'));
  if (!best) return ['-', '-'];
  const [wall, cpu] = ['wall', 'cpu'].map((figure) => median(ratios(own, best, figure)).toFixed(2));
  return [timesOf(best), `${wall} / ${cpu}`];
}

function timesOf(run) {
  return `${middle(run, 'wall').toFixed(2)} / ${middle(run, 'cpu').toFixed(2)}`;
}

function megabytes(run, figure) {
  return (middle(run, figure) / 1e6).toFixed(0);
}

function middle({ measured }, figure) {
  return median(measured.map((one) => one[figure]));
}
