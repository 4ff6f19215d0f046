import { usageError } from '../../base/errors.js';
import { describeColumnKeys, parseLayout } from '../../day-files/layout.js';
import { type PlacedFiles, parseFileList, placeFiles } from '../../download/plan/listed-plan.js';
import {
  EXCHANGE_ARGUMENT,
  type LAYOUT_OPTIONS,
  LIST_OPTIONS,
  type PIN_OPTIONS,
  SELECTION_OPTIONS,
} from '../../options/day-file-options.js';
import type { GivenFlags, ReadOptions } from '../../options/option-values.js';
import { parseLockFile } from '../../store/lock-file.js';
import type { CommandHost } from '../command-host.js';
import { MAX_TEXT_BYTES, readStdin, readUserFile } from '../read-user-file.js';

/** Day files named by a file, instead of a selection. */
export interface FileList {
  readonly files: PlacedFiles;
  /** Whether the folder must hold exactly these files, byte for byte. */
  readonly isFrozen: boolean;
  /** Warnings about the layout. */
  readonly warnings: readonly string[];
}

const SELECTED = { ...EXCHANGE_ARGUMENT, ...SELECTION_OPTIONS } as const;
/** Arguments and flags that select day files. */
const SELECTION_FLAGS = Object.keys(SELECTED) as (keyof typeof SELECTED)[];
/** Flags that instead name a file listing the day files. */
const LIST_FLAGS = Object.keys(LIST_OPTIONS) as (keyof typeof LIST_OPTIONS)[];

/** The options that name day files, or a file that lists them; a command may lack some. */
export type ListedOptions = Partial<Omit<ReadOptions<typeof LIST_OPTIONS>, 'given'>> &
  ReadOptions<typeof SELECTED & typeof LAYOUT_OPTIONS>;

/**
 * The files of `--from-file` or `--frozen`; undefined if both are absent.
 * @throws usage error if both are given, if a selection is given too, and for invalid contents.
 */
export async function readFileList(
  options: ListedOptions,
  { stdin, signal }: Pick<CommandHost, 'stdin' | 'signal'>,
): Promise<FileList | undefined> {
  const { fromFile: list, frozen: lock } = options;
  if (list === undefined && lock === undefined) return undefined;
  const flag = list === undefined ? 'frozen' : 'from-file';
  assertNoOtherFlags(options, flag, lock === undefined ? ['pin'] : ['layout', 'pin']);
  if (list !== undefined) {
    const content =
      list === '-' ? await readStdin(stdin, '--from-file', signal) : await readListFile(list, flag, signal);
    // A failed command before the pipe sends nothing, which must not pass as an empty list.
    if (list === '-' && content.trim() === '') throw usageError('--from-file -: the list on stdin is empty');
    const files = parseFileList(content, list === '-' ? 'stdin' : list);
    const layout = options.given.has('layout') ? options.layout : undefined;
    const warnings = layout === undefined ? [] : describeColumnKeys(parseLayout(layout));
    return { files: placeFiles(files, layout), isFrozen: false, warnings };
  }
  const locked = parseLockFile(await readListFile(lock ?? '', flag, signal), lock ?? '');
  const files = locked.map(({ file, path, bytes, sha256 }) => ({ file, path, expected: { bytes, sha256 } }));
  return { files: placeFiles(files, undefined), isFrozen: true, warnings: [] };
}

/**
 * Checks that a flag naming the files is not combined with a selection.
 * @param conflictingFlags further flags whose values the file already has.
 * @throws usage error.
 */
export function assertNoOtherFlags(
  { given, exchange }: ListedOptions,
  flag: string,
  conflictingFlags: readonly (keyof typeof LAYOUT_OPTIONS | keyof typeof PIN_OPTIONS)[],
): void {
  const isGiven = (name: string): boolean => (given as GivenFlags).has(name);
  const otherListFlag = LIST_FLAGS.find((name) => name !== flag && isGiven(name));
  if (otherListFlag !== undefined) throw usageError(`--${flag} and --${otherListFlag}: use only one of them`);
  const other = [...SELECTION_FLAGS, ...conflictingFlags].find(isGiven);
  if (other === undefined) return;
  const named = other === 'exchange' ? `"${exchange}"` : `--${other}`;
  throw usageError(`--${flag} names the files; leave ${named} out`);
}

function readListFile(path: string, flag: string, signal: AbortSignal): Promise<string> {
  return readUserFile({ name: `--${flag}`, what: 'the file', path }, MAX_TEXT_BYTES.list, signal);
}
