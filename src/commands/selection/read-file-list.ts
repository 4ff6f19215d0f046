import { usageError } from '../../base/errors.js';
import { parseFileList } from '../../download/lists/file-list.js';
import { type PlacedFiles, placeFiles } from '../../download/lists/listed-plan.js';
import { parseLockFile } from '../../store/lists/lock-file.js';
import type { CommandArgs } from '../arguments/command-args.js';
import { readTextFlag } from '../arguments/read-arguments.js';
import type { CommandHost } from '../command-host.js';
import { MAX_TEXT_BYTES, readStdin, readUserFile } from '../read-user-file.js';
import { readGivenLayout } from './read-selection.js';

/** Day files that a file names, in the place of a selection. */
export interface FileList {
  readonly files: PlacedFiles;
  /** Whether the folder is to hold exactly these, to the byte. */
  readonly isFrozen: boolean;
}

/** Options that name day files by what they hold. */
const SELECTING = ['exchange', 'type', 'symbol', 'symbol-type', 'from', 'to', 'date', 'last', 'weekdays'];
/** Files in the place of such options. */
const NAMING = ['from-file', 'frozen', 'pinned'];

/**
 * What `--from-file` or `--frozen` names; undefined where neither is given.
 * @throws usage error for both, for a selection beside them, and for what isn't right in the file.
 */
export async function readFileList(
  args: CommandArgs,
  { stdin, signal }: CommandHost,
): Promise<FileList | undefined> {
  const list = readTextFlag(args, 'from-file');
  const lock = readTextFlag(args, 'frozen');
  if (list === undefined && lock === undefined) return undefined;
  const flag = list === undefined ? 'frozen' : 'from-file';
  assertNoOtherFlags(args, flag, lock === undefined ? ['pin'] : ['layout', 'pin']);
  if (list !== undefined) {
    const content =
      list === '-' ? await readStdin(stdin, '--from-file', signal) : await readNamed(list, flag, signal);
    // A command before the pipe that failed leaves nothing, and that is no list.
    if (list === '-' && content.trim() === '')
      throw usageError('stdin: nothing came; --from-file - reads a list');
    const files = parseFileList(content, list === '-' ? 'stdin' : list);
    return { files: placeFiles(files, readGivenLayout(args)), isFrozen: false };
  }
  const locked = parseLockFile(await readNamed(lock ?? '', flag, signal), lock ?? '');
  const files = locked.map(({ file, path, bytes, sha256 }) => ({ file, path, expected: { bytes, sha256 } }));
  return { files: placeFiles(files, undefined), isFrozen: true };
}

/**
 * The one flag that names the files stands alone.
 * @param besides what it says as well, and so can't be given beside it.
 * @throws usage error.
 */
export function assertNoOtherFlags(args: CommandArgs, flag: string, besides: readonly string[]): void {
  const second = NAMING.find((name) => name !== flag && args[name] !== undefined);
  if (second !== undefined) throw usageError(`--${flag} and --${second}: give one of them`);
  const other = [...SELECTING, ...besides].find((name) => args[name] !== undefined);
  if (other === undefined) return;
  const named = other === 'exchange' ? `"${args['exchange']}"` : `--${other}`;
  throw usageError(`--${flag} names the files; leave ${named} out`);
}

function readNamed(path: string, flag: string, signal: AbortSignal): Promise<string> {
  return readUserFile({ name: `--${flag}`, what: 'the file', path }, MAX_TEXT_BYTES.list, signal);
}
