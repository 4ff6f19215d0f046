import type { ExportTargetName } from '../options/export-options.js';
import type { ExportTarget } from './export-target.js';
import { freqtrade } from './freqtrade/freqtrade-target.js';
import { hftbacktest } from './hftbacktest/hftbacktest-target.js';

/** All targets. */
export const EXPORT_TARGETS = { hftbacktest, freqtrade } as Readonly<
  Record<ExportTargetName, ExportTarget<unknown>>
>;
