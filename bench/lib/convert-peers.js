import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { OLD_TICKHAUL, TICKHAUL } from './service.js';

const PROCESSORS = 2;

/**
 * Peers that convert day files of one kind, for `compare`.
 * @param rows rows of all files together.
 */
export function converters({ header }, files, rows) {
  const convert = (name, script, env = {}) => ({
    name,
    rows,
    command: async (folder) => [onTwo([process.execPath, pathOf(script), folder, header, ...files]), env],
  });
  const own = (name, bin, flags) => ({
    name,
    rows,
    command: async (folder) => [
      onTwo([process.execPath, bin, 'convert', ...files, '--out', folder, '--quiet', ...flags]),
    ],
  });
  return {
    tickhaul: (...flags) => own(['tickhaul', ...flags].join(' '), TICKHAUL, flags),
    /** Empty without an older build. */
    olderTickhaul: (...flags) => (OLD_TICKHAUL ? [own('older tickhaul', OLD_TICKHAUL, flags)] : []),
    polars: () => convert('nodejs-polars', 'polars'),
    polarsByFile: () => ({
      name: 'nodejs-polars, two files at once, a thread each',
      rows,
      command: async (folder) => {
        const one = [process.execPath, pathOf('polars'), folder, header];
        const script = `printf '%s\\0' "$@" | xargs -0 -n 1 -P ${PROCESSORS} "$0" ${one.slice(1).map(shellQuoted).join(' ')}`;
        return [onTwo(['sh', '-ec', script, process.execPath, ...files]), { POLARS_MAX_THREADS: '1' }];
      },
    }),
    duckdb: () => convert('DuckDB', 'duckdb'),
    duckdbBars: () => convert('DuckDB, time_bucket', 'duckdb-bars'),
    duckdbJson: () => convert('DuckDB, FORMAT json', 'duckdb', { FORMAT: 'json' }),
    gunzip: () => ({ ...convert('gunzip alone, in Node', 'gunzip'), leavesNothing: true }),
  };
}

/** A command limited to two processors, if there are more. */
export function onTwo(command) {
  return availableParallelism() > PROCESSORS ? ['taskset', '-c', `0-${PROCESSORS - 1}`, ...command] : command;
}

function pathOf(script) {
  return fileURLToPath(new URL(`../converters/${script}.js`, import.meta.url));
}

function shellQuoted(text) {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
