import type { CommandAction } from './command.js';

/**
 * Names that other tools give to flags, and what a command here may have for them, best first. `<name>` is an argument
 * without a flag.
 */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  ...named('start begin since from-date start-date date-from starting', '--from'),
  ...named('end until to-date end-date date-to stop ending', '--to'),
  ...named('day', '--date', '--on'),
  ...named('days last-days', '--last'),
  ...named(
    'symbols pair pairs instrument instruments market markets ticker tickers coin coins',
    '--symbol',
    '<symbol>',
  ),
  ...named('types data-type data-types datatype datatypes dataset datasets kind kinds', '--type'),
  ...named('channels', '--channel'),
  ...named('exchange exchanges venue source-exchange', '--exchange', '<exchange>'),
  ...named(
    'output-dir outdir out-dir output-folder folder directory dest destination target-dir download-dir save-to dir',
    '--dir',
    '--out',
    '<folder>',
  ),
  ...named('output output-path outfile out-file output-file out', '--out', '--dir'),
  ...named('input in infile input-file file files path paths', '<path>', '<file>', '<folder>'),
  ...named(
    'threads workers parallel parallelism processes connections max-concurrency concurrency',
    '--jobs',
    '--concurrency',
  ),
  ...named('jobs', '--job', '--concurrency'),
  ...named('format output-format to-format', '--convert', '--format'),
  ...named('parquet to-parquet', '--convert parquet', '--format parquet'),
  ...named('ndjson jsonl to-ndjson', '--convert ndjson', '--format ndjson'),
  ...named('compress compressor codec', '--compression'),
  ...named('bars bar candles candle ohlc ohlcv timeframe resample', '--as'),
  ...named('force overwrite clobber redownload', '--existing overwrite'),
  ...named('skip-existing no-clobber', '--existing skip'),
  ...named('dryrun dry simulate plan-only what-if', '--dry-run'),
  ...named('silent', '--quiet'),
  ...named('debug trace', '--verbose'),
  ...named('max-retries max-attempts retry tries attempts', '--retries'),
  ...named('timeout read-timeout idle-timeout socket-timeout', '--stall-timeout'),
  ...named('limit-rate rate-limit bandwidth throttle bwlimit max-speed', '--max-rate'),
  ...named('assume-yes no-confirm non-interactive', '--yes'),
  ...named('cache cache-folder', '--cache-dir'),
  ...named('config-file conf settings', '--config'),
  ...named('mail e-mail user username', '--email'),
  ...named('url base-url host endpoint', '--api-url'),
  ...named('endpoint-url aws-endpoint', '--s3-endpoint'),
  ...named('region aws-region', '--s3-region'),
};

/** A secret's usual names. */
const SECRET = /^(api-?)?(key|token|secret)$|^(auth|bearer|password|auth-?token|access-?token)$/;
const SECRET_ADVICE =
  "other users see a process's arguments, so set TICKHAUL_API_KEY, or name a file with --api-key-file";

function named(words: string, ...meant: readonly string[]): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(words.split(' ').map((word) => [word, meant]));
}

/**
 * What an unknown flag of another tool is called here.
 * @param flag as it was typed: `--dataTypes`.
 * @param command what has flags and arguments. @param known the long names of its flags, those of every command too.
 * @returns what to append to an error: a name that the command has, or nothing where the word is known but the command
 * has nothing of the kind; undefined for a word that isn't known.
 */
export function findFlagSynonym(
  flag: string,
  command: Pick<CommandAction, 'positionals'> & { readonly syntax: string },
  known: readonly string[],
): string | undefined {
  const word = wordOf(flag);
  if (SECRET.test(word)) return `; ${SECRET_ADVICE}`;
  if (!Object.hasOwn(SYNONYMS, word)) return undefined;
  for (const name of SYNONYMS[word] ?? []) {
    const [long = ''] = name.split(' ', 1);
    if (known.includes(long)) return `; did you mean ${name}?`;
    if (Object.keys(command.positionals ?? {}).includes(name.slice(1, -1)))
      return `; ${name} is given without a flag: tickhaul ${command.syntax}`;
  }
  return '';
}

/** `--dataTypes`, `--data_types` and `--data-types` are one word. */
function wordOf(flag: string): string {
  return flag
    .replace(/^-+/, '')
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase();
}
