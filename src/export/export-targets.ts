import type { ExportTargetName } from '../options/export-options.js';
import type { ExportTarget } from './export-target.js';
import { freqtrade } from './freqtrade/freqtrade-target.js';
import { hftbacktest } from './hftbacktest/hftbacktest-target.js';
import { nautilus } from './nautilus/nautilus-target.js';

/** All targets. */
export const EXPORT_TARGETS: Readonly<Record<ExportTargetName, ExportTarget<unknown>>> = {
  hftbacktest,
  nautilus,
  freqtrade,
};
