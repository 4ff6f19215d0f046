import type { ExportTargetName } from '../options/export-options.js';
import type { ExportTarget } from './export-target.js';
import { freqtrade } from './freqtrade/freqtrade-target.js';

/** All targets. */
export const EXPORT_TARGETS = { freqtrade } as Readonly<Record<ExportTargetName, ExportTarget<unknown>>>;
