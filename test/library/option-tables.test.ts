import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type {
  AuditOptions,
  ConvertOptions,
  CoverageOptions,
  DownloadOptions,
  ExchangesOptions,
  ExportOptions,
  InstrumentsOptions,
  PlanOptions,
  RawReplayOptions,
  ReplayOptions,
  StreamOptions,
  SymbolsOptions,
  SyncOptions,
  VerifyOptions,
} from '../../src/index.js';
import { OPTION_TABLES } from '../../src/library/options-to-args.js';
import type { SettingNames } from '../../src/options/option-values.js';

const PROJECT = fileURLToPath(new URL('../../..', import.meta.url));

test('the types of options match the catalogue; npm run reference writes them', async () => {
  await promisify(execFile)(process.execPath, ['scripts/library-types.js', '--check'], { cwd: PROJECT });
});

/** Option names, over all variants of a union. */
type NamesOf<Options> = Options extends unknown ? keyof Options : never;
/** Option names of a function in the catalogue. */
type Listed<Name extends keyof typeof OPTION_TABLES> = SettingNames<(typeof OPTION_TABLES)[Name]['group']>;
type Same<A, B> = [A, B] extends [B, A] ? true : false;

test('each function has exactly the options of the catalogue', () => {
  const same: {
    readonly plan: Same<NamesOf<PlanOptions>, Listed<'plan'>>;
    readonly download: Same<NamesOf<DownloadOptions>, Listed<'download'>>;
    readonly sync: Same<NamesOf<SyncOptions>, Listed<'sync'>>;
    readonly verify: Same<NamesOf<VerifyOptions>, Listed<'verify'>>;
    readonly convert: Same<NamesOf<ConvertOptions>, Listed<'convert'>>;
    readonly export: Same<NamesOf<ExportOptions>, Listed<'export'>>;
    readonly audit: Same<NamesOf<AuditOptions>, Listed<'audit'>>;
    readonly coverage: Same<NamesOf<CoverageOptions>, Listed<'coverage'>>;
    readonly replay: Same<NamesOf<ReplayOptions | RawReplayOptions>, Listed<'replay'>>;
    readonly stream: Same<NamesOf<StreamOptions>, Listed<'stream'>>;
    readonly exchanges: Same<NamesOf<ExchangesOptions>, Listed<'exchanges'>>;
    readonly symbols: Same<NamesOf<SymbolsOptions>, Listed<'symbols'>>;
    readonly instruments: Same<NamesOf<InstrumentsOptions>, Listed<'instruments'>>;
  } = {
    plan: true,
    download: true,
    sync: true,
    verify: true,
    convert: true,
    export: true,
    audit: true,
    coverage: true,
    replay: true,
    stream: true,
    exchanges: true,
    symbols: true,
    instruments: true,
  };
  assert.deepEqual(Object.keys(same), Object.keys(OPTION_TABLES));
});

test('docs/reference/library.md mentions every option', async () => {
  const docs = await readFile(new URL('../../../docs/reference/library.md', import.meta.url), 'utf8');
  for (const [name, { options }] of Object.entries(OPTION_TABLES)) {
    const missing = [...options.keys()].filter((option) => !docs.includes(`\`${option}\``));
    assert.deepEqual(missing, [], name);
  }
});
