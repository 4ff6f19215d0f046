import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { TICKHAUL } from './service.js';

/**
 * Peers that convert day files of one kind, for `compare`.
 * @param rows rows of all files together.
 * @param processors number of processors that each peer gets.
 */
export function converters({ header }, files, rows, processors = 2) {
  const limit = (command) => onProcessors(processors, command);
  const convert = (name, script, env = {}) => ({
    name,
    rows,
    command: async (folder) => [
      limit([process.execPath, pathOf(script), folder, header, ...files]),
      { ...threadsOf(processors), ...env },
    ],
  });
  const byFile = (name, script) => ({
    name: `${name}, ${processors} files at once, a thread each`,
    rows,
    command: async (folder) => {
      const one = [pathOf(script), folder, header].map(shellQuoted).join(' ');
      const line = `printf '%s\\0' "$@" | xargs -0 -n 1 -P ${processors} "$0" ${one}`;
      return [limit(['sh', '-ec', line, process.execPath, ...files]), threadsOf(1)];
    },
  });
  return {
    tickhaul: (...flags) => ({
      name: ['tickhaul', ...flags].join(' '),
      rows,
      command: async (folder) => [
        limit([process.execPath, TICKHAUL, 'convert', ...files, '--out', folder, '--quiet', ...flags]),
      ],
    }),
    polars: () => convert('nodejs-polars', 'polars'),
    polarsByFile: () => byFile('nodejs-polars', 'polars'),
    duckdb: () => convert('DuckDB', 'duckdb'),
    duckdbByFile: () => byFile('DuckDB', 'duckdb'),
    duckdbBars: () => convert('DuckDB, time_bucket', 'duckdb-bars'),
    duckdbAudit: () => convert('DuckDB, the same checks in SQL', 'duckdb-audit'),
    duckdbJson: () => convert('DuckDB, FORMAT json', 'duckdb', { FORMAT: 'json' }),
    gunzip: () => ({ ...convert('gunzip alone, in Node', 'gunzip'), leavesNothing: true }),
  };
}

/** A command limited to the first processors, if there are more. */
export function onProcessors(count, command) {
  return availableParallelism() > count ? ['taskset', '-c', `0-${count - 1}`, ...command] : command;
}

export function onTwo(command) {
  return onProcessors(2, command);
}

/** DuckDB's own default is the number of processors of the machine, also if it is limited to fewer. */
function threadsOf(count) {
  return { POLARS_MAX_THREADS: String(count), DUCKDB_THREADS: String(count) };
}

function pathOf(script) {
  return fileURLToPath(new URL(`../converters/${script}.js`, import.meta.url));
}

function shellQuoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
