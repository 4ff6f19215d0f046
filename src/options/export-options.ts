import { CONVERT_OPTIONS } from './existing-file-options.js';
import { describedBy, groupOptions } from './option-definition.js';

/** Backtesters that `export` writes for. `src/export/run-export-job.ts` has the implementation of each. */
export const EXPORT_TARGET_NAMES = ['hftbacktest', 'nautilus', 'freqtrade'] as const;

export type ExportTargetName = (typeof EXPORT_TARGET_NAMES)[number];

/** Options of single targets. */
export const TARGET_OPTIONS = {
  ...groupOptions('For hftbacktest:', {
    'base-latency': {
      type: 'text',
      description: 'latency added where the local clock is behind the exchange, such as 100us',
      default: '0',
    },
    snapshots: {
      type: 'choice',
      description: 'book snapshots to write: all, none at the start of the day, or none',
      choices: ['process', 'ignore-sod', 'ignore'],
      default: 'process',
    },
  }),
  ...groupOptions('For nautilus:', {
    catalog: {
      type: 'choice',
      description: 'names of the catalog folders: those of the Python or of the Rust version',
      choices: ['python', 'rust'],
      default: 'python',
    },
    precision: {
      type: 'choice',
      description: 'bits of prices and sizes',
      choices: ['64', '128'],
      default: '128',
    },
    'price-precision': {
      type: 'decimals',
      description: 'decimals of prices',
      defaultText: 'from instrument metadata',
    },
    'size-precision': {
      type: 'decimals',
      description: 'decimals of sizes',
      defaultText: 'from instrument metadata',
    },
    'instrument-id': {
      type: 'text',
      description: 'instrument id of the only symbol, such as BTCUSDT-PERP.BINANCE',
      defaultText: 'from symbol, exchange and type',
    },
    as: {
      type: 'computed-types',
      description: 'bars in place of trades, such as trade_bar_1m; "rows" also keeps the trades',
    },
  }),
  ...groupOptions('For freqtrade:', {
    timeframe: {
      type: 'list',
      description: 'timeframes of candles that divide a day, such as 1m,1h',
      default: '1m',
    },
    pair: {
      type: 'text',
      description: 'pair of the only symbol, such as BTC/USDT or BTC/USDT:USDT',
      defaultText: 'from instrument metadata',
    },
    'funding-timeframe': {
      type: 'text',
      description: 'timeframe of funding rates; 8h for freqtrade before 2025.12',
      default: '1h',
    },
    'mark-timeframe': {
      type: 'text',
      description: 'timeframe of mark candles; 8h or 4h for freqtrade before 2025.12',
      default: '1h',
    },
    'funding-grid': {
      type: 'text',
      description: 'time between fundings of an exchange that sends no time of funding, such as 8h',
    },
  }),
} as const;

export type ExportFlag = keyof typeof TARGET_OPTIONS;

/** What `export` reads and where it writes. */
export const EXPORT_OPTIONS = {
  ...groupOptions('Export:', {
    target: {
      type: 'choice',
      description: 'backtester to write for',
      choices: EXPORT_TARGET_NAMES,
      positional: true,
      required: true,
    },
    path: CONVERT_OPTIONS.path,
    dir: CONVERT_OPTIONS.dir,
    out: {
      type: 'folder',
      remote: true,
      description: 'folder or s3://bucket/prefix for the outputs',
      alias: 'o',
      required: true,
    },
    jobs: {
      type: 'count',
      min: 1,
      max: 256,
      description: 'exports to run at once',
      defaultText: 'the number of processors',
      alias: 'j',
    },
    existing: CONVERT_OPTIONS.existing,
    good: CONVERT_OPTIONS.good,
    'skip-degraded': CONVERT_OPTIONS['skip-degraded'],
    offline: {
      type: 'flag',
      description: 'use no network; instrument metadata without a stored copy counts as absent',
    },
  }),
  ...TARGET_OPTIONS,
} as const;

const { as: _as, ...TARGET_OPTIONS_WITHOUT_AS } = TARGET_OPTIONS;
const TARGET_OPTIONS_OF_DOWNLOADS = describedBy('export', TARGET_OPTIONS_WITHOUT_AS);

/** An export of the series of a download, or of a job, when it has ended. */
export const EXPORT_AFTER_OPTIONS = {
  ...groupOptions('Export:', {
    export: {
      type: 'choice',
      description: 'at the end, export the series of this download for a backtester',
      choices: EXPORT_TARGET_NAMES,
    },
    'export-dir': {
      type: 'folder',
      remote: true,
      description: 'folder or s3://bucket/prefix for the exports',
      defaultText: 'exports/<target>',
    },
    'export-as': {
      type: 'computed-types',
      description:
        'for nautilus: bars in place of trades, such as trade_bar_1m; "rows" also keeps the trades',
    },
  }),
  ...TARGET_OPTIONS_OF_DOWNLOADS,
} as const;
