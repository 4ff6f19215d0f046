import type { ExportTargetName } from '../options/export-options.js';
import type { ExportTarget } from './export-target.js';

/** All targets. */
export const EXPORT_TARGETS = {} as Readonly<Record<ExportTargetName, ExportTarget<unknown>>>;
