/**
 * Medians over the rounds, one line per peer; with rows per second and the output's size if there are rows. The last
 * column is the ratio of the wall time to that of the first peer in the same round, median and range, so that other
 * load affects both. It is per row if peers process different numbers of rows.
 *
 * Below, of each command of an older build, the ratios of wall and CPU time of the newer one to it, pair by pair.
 */
export function formatRuns(runs) {
  const [first] = runs;
  const hasRows = first.rows !== undefined;
  const lines = runs.map((run) => {
    const { name, rows, measured } = run;
    const wall = median(measured.map((one) => one.wall));
    return [
      name,
      ...(hasRows ? [Math.round(rows / wall).toLocaleString('en')] : []),
      seconds(wall),
      seconds(median(measured.map(({ cpu }) => cpu))),
      megabytes(median(measured.map(({ memory }) => memory))),
      ...(hasRows ? [megabytes(median(measured.map(({ output }) => output)))] : []),
      span(ratios(run, first)),
    ];
  });
  const [rate, output] = hasRows ? [['rows/s'], ['output MB']] : [[], []];
  const header = ['', ...rate, 'wall s', 'CPU s', 'peak MB', ...output, `wall / ${first.name}`];
  const pairs = runs.filter(({ newer }) => newer).map((older) => `\n\n${formatPairs(older)}`);
  return table([header, ...lines]) + pairs.join('');
}

function formatPairs(older) {
  const [wall, cpu] = ['wall', 'cpu'].map((figure) => span(ratios(older.newer, older, figure)));
  return `${older.newer.name} / ${older.name}: wall ${wall}, CPU ${cpu}`;
}

/** The ratio of a figure to that of another peer in the same round; times are per row. */
export function ratios(run, other, figure = 'wall') {
  const perRow = figure === 'output' ? 1 : (other.rows ?? 1) / (run.rows ?? 1);
  return run.measured.map((one, round) => (one[figure] / other.measured[round][figure]) * perRow);
}

export function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Markdown that is readable on a terminal too. */
export function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(3, ...rows.map((row) => row[column].length)));
  const lines = rows.map((row) => {
    const cells = row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]) : cell.padStart(widths[at])));
    return `| ${cells.join(' | ')} |`;
  });
  const rule = `| ${widths.map((width, at) => '-'.repeat(width - (at && 1)) + (at ? ':' : '')).join(' | ')} |`;
  return [lines[0], rule, ...lines.slice(1)].join('\n');
}

/** Median and range. */
export function span(numbers) {
  return `${median(numbers).toFixed(2)} (${Math.min(...numbers).toFixed(2)}-${Math.max(...numbers).toFixed(2)})`;
}

function seconds(value) {
  return Number.isFinite(value) ? value.toFixed(2) : '-';
}

function megabytes(value) {
  return Number.isFinite(value) ? (value / 1e6).toFixed(0) : '-';
}
