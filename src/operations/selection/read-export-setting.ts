import { usageError } from '../../base/errors.js';
import type { ExportSetting } from '../../export/export-target.js';
import {
  type EXPORT_AFTER_OPTIONS,
  type ExportFlag,
  type ExportTargetName,
  TARGET_OPTIONS,
} from '../../options/export-options.js';
import { type ReadOptions, valueNameOf } from '../../options/option-values.js';

/** The export that follows a download; undefined without `--export`. @throws usage error. */
export async function readExportSetting(
  options: ReadOptions<typeof EXPORT_AFTER_OPTIONS> & { readonly noKeepCsv: boolean },
): Promise<ExportSetting | undefined> {
  const { given, export: target, exportAs, exportDir } = options;
  if (target === undefined) {
    const unused = (['export-dir', 'export-as', ...EXPORT_FLAGS] as const).find(
      (flag) => flag !== 'as' && given.has(flag),
    );
    if (unused !== undefined)
      throw usageError(`--${unused} needs --export: name a target, such as --export nautilus`);
    return undefined;
  }
  if (options.noKeepCsv)
    throw usageError('--no-keep-csv and --export: an export reads the CSV files; use only one of them');
  const has = (flag: ExportFlag): boolean => given.has(flag === 'as' ? 'export-as' : flag);
  const setting = await readExportTarget(target, { ...options, as: exportAs, given: { has } });
  return { ...setting, out: exportDir ?? `exports/${target}` };
}

const EXPORT_FLAGS = Object.keys(TARGET_OPTIONS) as ExportFlag[];

/** A target and its settings. @throws usage error for a flag of another target. */
export async function readExportTarget(
  target: ExportTargetName,
  options: ReadOptions<typeof TARGET_OPTIONS>,
): Promise<Omit<ExportSetting, 'out'>> {
  // Imported on demand, since few downloads export.
  const { EXPORT_TARGETS } = await import('../../export/run-export-job.js');
  const { flags, readSettings } = EXPORT_TARGETS[target];
  const given: Partial<Record<ExportFlag, string | readonly string[]>> = {};
  const values: Readonly<Record<string, unknown>> = options;
  for (const name of EXPORT_FLAGS.filter((flag) => options.given.has(flag))) {
    if (!flags.includes(name)) throw usageError(`--${name} has no effect on ${target}; omit it`);
    given[name] = values[valueNameOf(name, TARGET_OPTIONS[name])] as string | readonly string[];
  }
  return { target, settings: readSettings(given) };
}
