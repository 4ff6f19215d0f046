import type { Config, ConfigJob } from './config-schema.js';

/**
 * How tickhaul came to a config file: the user named it (`--config`, `TICKHAUL_CONFIG`, the user's config folder), or it
 * was found in the working folder, which may be a cloned repository or a folder that others share.
 */
export type ConfigOrigin = 'named' | 'found';

/**
 * Which file may have each setting: any, since it says what to download, where to and how; or only a named one, since
 * it reaches for hosts, secrets or programs (SECURITY.md#config-files). A new setting does not compile without a row.
 */
const SETTING_ORIGINS: Readonly<Record<keyof Config | keyof ConfigJob, 'any' | 'named'>> = {
  $schema: 'any',
  apiUrl: 'named',
  datasetsUrl: 'named',
  authUrl: 'named',
  allowHttp: 'named',
  apiKeyFile: 'named',
  s3Endpoint: 'named',
  onSuccess: 'named',
  onFailure: 'named',
  ping: 'named',
  dir: 'any',
  s3Region: 'any',
  s3PathStyle: 'any',
  jobs: 'any',
  name: 'any',
  exchange: 'any',
  types: 'any',
  symbols: 'any',
  symbolTypes: 'any',
  from: 'any',
  to: 'any',
  date: 'any',
  days: 'any',
  last: 'any',
  weekdays: 'any',
  free: 'any',
  layout: 'any',
  concurrency: 'any',
  retries: 'any',
  stallTimeout: 'any',
  maxWait: 'any',
  maxRate: 'any',
  existing: 'any',
  failFast: 'any',
  strict: 'any',
  convert: 'any',
  noKeepCsv: 'any',
  as: 'any',
  barTime: 'any',
  fill: 'any',
  compression: 'any',
  encodings: 'any',
  rowGroup: 'any',
  times: 'any',
  numbers: 'any',
  wait: 'any',
  timeout: 'any',
  maxDuration: 'any',
  lockTimeout: 'any',
  audit: 'any',
  export: 'any',
  exportDir: 'any',
  exportAs: 'any',
  baseLatency: 'any',
  snapshots: 'any',
  catalog: 'any',
  precision: 'any',
  pricePrecision: 'any',
  sizePrecision: 'any',
  instrumentId: 'any',
  timeframe: 'any',
  pair: 'any',
  fundingTimeframe: 'any',
  markTimeframe: 'any',
  fundingGrid: 'any',
};

/** The settings of a config file that only a named one may have. */
export function findNamedSettings(config: Config): readonly string[] {
  const keys = [config, ...(config.jobs ?? [])].flatMap((settings) => Object.keys(settings));
  const origins: Readonly<Record<string, string>> = SETTING_ORIGINS;
  return [...new Set(keys)].filter((key) => origins[key] !== 'any');
}

/** Paths of the lists (`@file`) in the jobs of a config file, as written. */
export function findListPaths(config: Config): readonly string[] {
  return (config.jobs ?? [])
    .flatMap((job) => Object.values(job).flat())
    .flatMap((value) => (typeof value === 'string' ? value.split(',') : []))
    .map((text) => text.trim())
    .filter((text) => text.startsWith('@'))
    .map((text) => text.slice(1));
}
