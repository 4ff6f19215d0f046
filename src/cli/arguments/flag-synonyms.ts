import type { CommandAction } from './command.js';

/**
 * Flag names of other tools, with the flags of tickhaul that they may correspond to, best first. `<name>` is a
 * positional argument.
 */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  ...synonyms('start begin since from-date start-date date-from starting', '--from'),
  ...synonyms('end until to-date end-date date-to stop ending', '--to'),
  ...synonyms('day', '--date', '--on'),
  ...synonyms('last-days', '--last'),
  ...synonyms(
    'symbols pair pairs instrument instruments market markets ticker tickers coin coins',
    '--symbol',
    '<symbol>',
  ),
  ...synonyms('types data-type data-types datatype datatypes dataset datasets kind kinds', '--type'),
  ...synonyms('channels', '--channel'),
  ...synonyms('exchange exchanges venue source-exchange', '--exchange', '<exchange>'),
  ...synonyms(
    'output-dir outdir out-dir output-folder dest destination target-dir save-to',
    '--out',
    '--dir',
    '<folder>',
  ),
  ...synonyms('folder directory download-dir input-dir dir', '--dir', '--out', '<folder>'),
  ...synonyms('output output-path outfile out-file output-file out', '--out', '--dir'),
  ...synonyms('input in infile input-file file files path paths', '<path>', '<file>', '<folder>'),
  ...synonyms(
    'threads workers parallel parallelism processes connections max-concurrency concurrency',
    '--jobs',
    '--concurrency',
  ),
  ...synonyms('jobs', '--job', '--concurrency'),
  ...synonyms('format output-format to-format', '--convert', '--format'),
  ...synonyms('parquet to-parquet', '--convert parquet', '--format parquet'),
  ...synonyms('ndjson jsonl to-ndjson', '--convert ndjson', '--format ndjson'),
  ...synonyms('arrow feather ipc to-arrow', '--convert arrow', '--format arrow'),
  ...synonyms('csv to-csv', '--convert csv', '--format csv'),
  ...synonyms('compress compressor codec', '--compression'),
  ...synonyms('bars bar candles candle ohlc ohlcv timeframe resample', '--as'),
  ...synonyms('ffill fill-gaps fill-missing', '--fill'),
  ...synonyms('force overwrite clobber redownload', '--existing overwrite'),
  ...synonyms('skip-existing no-clobber', '--existing skip'),
  ...synonyms('dryrun dry simulate plan-only what-if', '--dry-run'),
  ...synonyms('silent', '--quiet'),
  ...synonyms('debug trace', '--verbose'),
  ...synonyms('max-retries max-attempts retry tries attempts', '--retries'),
  ...synonyms('timeout read-timeout idle-timeout socket-timeout', '--stall-timeout'),
  ...synonyms('limit-rate rate-limit bandwidth throttle bwlimit max-speed', '--max-rate'),
  ...synonyms('assume-yes no-confirm non-interactive', '--yes'),
  ...synonyms('cache cache-folder', '--cache-dir'),
  ...synonyms('config-file conf settings', '--config'),
  ...synonyms('mail e-mail user username', '--email'),
  ...synonyms('url base-url host endpoint', '--api-url'),
  ...synonyms('endpoint-url aws-endpoint', '--s3-endpoint'),
  ...synonyms('region aws-region', '--s3-region'),
};

/** Usual names of flags with a secret. */
const SECRET_NAME = /^(api-?)?(key|token|secret)$|^(auth|bearer|password|auth-?token|access-?token)$/;
const SECRET_ADVICE =
  "other users see a process's arguments, so set TICKHAUL_API_KEY, or name a file with --api-key-file";

function synonyms(words: string, ...flags: readonly string[]): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(words.split(' ').map((word) => [word, flags]));
}

/**
 * The hint for an unknown flag that another tool has.
 * @param flag as typed: `--dataTypes`.
 * @param command the command with its positionals. @param known long names of its flags and of the global flags.
 * @returns text to append to the error: the corresponding flag, or an empty text if the command has none; undefined for
 * a name that is not in the table.
 */
export function findFlagSynonym(
  flag: string,
  command: Pick<CommandAction, 'positionals'> & { readonly syntax: string },
  known: readonly string[],
): string | undefined {
  const word = normalizeName(flag);
  if (SECRET_NAME.test(word)) return `; ${SECRET_ADVICE}`;
  if (!Object.hasOwn(SYNONYMS, word)) return undefined;
  for (const name of SYNONYMS[word] ?? []) {
    const [long = ''] = name.split(' ', 1);
    if (known.includes(long)) return `; did you mean ${name}?`;
    if (Object.keys(command.positionals ?? {}).includes(name.slice(1, -1)))
      return `; ${name} is given without a flag: tickhaul ${command.syntax}`;
  }
  return '';
}

/** Normalizes a name: `--dataTypes`, `--data_types` and `--data-types` are the same. */
function normalizeName(flag: string): string {
  return flag
    .replace(/^-+/, '')
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase();
}
