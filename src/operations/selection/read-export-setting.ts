import { usageError } from '../../base/errors.js';
import { didYouMean } from '../../base/nearest-names.js';
import type { ExportSetting } from '../../export/export-target.js';
import {
  EXPORT_TARGET_NAMES,
  type ExportFlag,
  type ExportTargetName,
  TARGET_OPTIONS,
} from '../../options/export-options.js';
import type { CommandArgs } from '../arguments/command-args.js';
import { readBooleanFlag, readListFlag, readLocation, readTextFlag } from '../arguments/read-arguments.js';

/** The export that follows a download; undefined without `--export`. @throws usage error. */
export async function readExportSetting(args: CommandArgs): Promise<ExportSetting | undefined> {
  if (readTextFlag(args, 'export') === undefined) {
    const unused = [
      'export-dir',
      'export-as',
      ...Object.keys(TARGET_OPTIONS).filter((flag) => flag !== 'as'),
    ].find((flag) => args[flag] !== undefined);
    if (unused !== undefined)
      throw usageError(`--${unused} needs --export: name a target, such as --export nautilus`);
    return undefined;
  }
  if (readBooleanFlag(args, 'no-keep-csv'))
    throw usageError('--no-keep-csv and --export: an export reads the CSV files; use only one of them');
  const target = await readExportTarget({ ...args, as: args['export-as'] }, 'export');
  return { ...target, out: readLocation(args, 'export-dir') ?? `exports/${target.target}` };
}

/**
 * A target and its settings.
 * @param flag the flag, or the argument, that names the target.
 * @throws usage error for an unknown target, and for a flag of another target.
 */
export async function readExportTarget(args: CommandArgs, flag: string): Promise<Omit<ExportSetting, 'out'>> {
  const target = readTargetName(args, flag);
  // Imported on demand, since few downloads export.
  const { EXPORT_TARGETS } = await import('../../export/export-targets.js');
  const { flags, readSettings } = EXPORT_TARGETS[target];
  const given: Partial<Record<ExportFlag, string | readonly string[]>> = {};
  for (const [key, { type }] of Object.entries(TARGET_OPTIONS)) {
    const name = key as ExportFlag;
    const value = type === 'list' ? readListFlag(args, name) : readTextFlag(args, name);
    if (value === undefined) continue;
    if (!flags.includes(name)) throw usageError(`--${name} has no effect on ${target}; omit it`);
    given[name] = value;
  }
  return { target, settings: readSettings(given) };
}

function readTargetName(args: CommandArgs, flag: string): ExportTargetName {
  const text = readTextFlag(args, flag) ?? '';
  const name = EXPORT_TARGET_NAMES.find((known) => known === text.toLowerCase());
  if (name !== undefined) return name;
  const hint = didYouMean(text, EXPORT_TARGET_NAMES) || `; valid names: ${EXPORT_TARGET_NAMES.join(', ')}`;
  throw usageError(`"${text}" is not an export target${hint}`);
}
