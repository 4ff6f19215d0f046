/**
 * Medians over the rounds, a line a peer. The last column is the wall time of each round over the first peer's
 * in the same round, median and span: what the machine did besides weighs on both.
 */
export function formatRuns(runs) {
  const [first] = runs;
  const rows = runs.map(({ name, measured }) => {
    const ratios = measured.map(({ wall }, round) => wall / first.measured[round].wall);
    return [
      name,
      seconds(median(measured.map(({ wall }) => wall))),
      seconds(median(measured.map(({ cpu }) => cpu))),
      megabytes(median(measured.map(({ memory }) => memory))),
      `${median(ratios).toFixed(2)} (${Math.min(...ratios).toFixed(2)}-${Math.max(...ratios).toFixed(2)})`,
    ];
  });
  return table([['', 'wall s', 'CPU s', 'peak MB', `wall / ${first.name}`], ...rows]);
}

/** Markdown that reads well on a terminal too. */
function table(rows) {
  const widths = rows[0].map((_, column) => Math.max(3, ...rows.map((row) => row[column].length)));
  const lines = rows.map((row) => {
    const cells = row.map((cell, at) => (at === 0 ? cell.padEnd(widths[at]) : cell.padStart(widths[at])));
    return `| ${cells.join(' | ')} |`;
  });
  const rule = `| ${widths.map((width, at) => '-'.repeat(width - (at && 1)) + (at ? ':' : '')).join(' | ')} |`;
  return [lines[0], rule, ...lines.slice(1)].join('\n');
}

function median(numbers) {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

function seconds(value) {
  return Number.isFinite(value) ? value.toFixed(2) : '-';
}

function megabytes(value) {
  return Number.isFinite(value) ? (value / 1e6).toFixed(0) : '-';
}
