import { findOutputFormat, withoutOutputExtension } from '../base/output-format-names.js';
import { plural } from '../base/units.js';
import { DAY_FILE_EXTENSION, parseDayFileName } from '../day-files/day-file.js';
import type { Files } from './files.js';
import { isInside } from './paths.js';

/** A file that macOS puts beside each file on disks of other systems. */
const SYSTEM_FILE = /^\._/;
/** Folders that systems and programs fill with deleted files, old versions and previews. */
const SYSTEM_FOLDER =
  /^(?:\.Trash(?:es|-\d+)?|\$RECYCLE\.BIN|#recycle|@eaDir|__MACOSX|[.#]snapshots?|\.zfs)$/i;

/** Names that file managers, browsers and sync programs give to a copy; the group is the name of the original. */
const COPY_NAMES = [
  /^copy (?:\(\d+\) )?of (.+)$/i,
  /^(.+?)(?: - copy| copy| \((?:another |\d+\w\w )?copy\))(?: \d+| ?\(\d+\))?$/i,
  /^(.+?) \(\d+\)$/,
  /^(.+?) \([^()]*conflicted copy[^()]*\)$/i,
  /^(.+?)\.sync-conflict-[\w-]+$/,
] as const;
/** Names of copies that symbols may have too, so they count as copies only beside their originals. */
const POSSIBLE_COPY_NAMES = [/^(.+?) \d+$/, /^(.+?)\(\d+\)$/] as const;
/** Cheap test that all paths of system files and copies pass. */
const SUSPICIOUS = /[ ()$#@]|\/[._]|^[._]|\.sync-conflict-/;

/** Whether an operating system or a program, rather than the user, put a file there. Takes a path with `/`. */
export function isSystemPath(path: string): boolean {
  const folders = path.split('/');
  return SYSTEM_FILE.test(folders.pop() ?? '') || folders.some((folder) => SYSTEM_FOLDER.test(folder));
}

/** A path with the name of a copy. */
interface CopyName {
  /** Path of the original, which may not exist. */
  readonly original: string;
  /** Whether it is a copy even if the original does not exist. */
  readonly isCertain: boolean;
}

/** Parses the name of a copy of a day file or of an output; undefined for any other name. */
function parseCopyName(path: string): CopyName | undefined {
  const start = path.lastIndexOf('/') + 1;
  const stem = stemOf(path.slice(start));
  const extension = path.slice(start + stem.length);
  const find = (patterns: readonly RegExp[]): string | undefined =>
    patterns.map((pattern) => pattern.exec(stem)?.[1]).find((name) => name !== undefined);
  const name = find(COPY_NAMES);
  const original = name ?? find(POSSIBLE_COPY_NAMES);
  if (original === undefined) return undefined;
  return {
    original: `${path.slice(0, start)}${original}${extension}`,
    isCertain: name !== undefined && parseDayFileName(`${original}${DAY_FILE_EXTENSION}`) !== undefined,
  };
}

/** Whether the name alone is that of a system file or of a copy. */
export function isStrayName(path: string): boolean {
  return isSystemPath(path) || parseCopyName(path)?.isCertain === true;
}

function stemOf(name: string): string {
  return name.endsWith(DAY_FILE_EXTENSION)
    ? name.slice(0, -DAY_FILE_EXTENSION.length)
    : withoutOutputExtension(name);
}

/**
 * The files that a search of a folder passes over because of their names: those of operating systems, and copies
 * (docs/spec/command-line.md#passed-over-files). A file with a record is never one of them, as a symbol may have such a
 * name.
 */
export class StrayFiles {
  readonly #files: Pick<Files, 'stat'>;
  readonly #isRecorded: (location: string) => boolean | Promise<boolean>;
  #count = 0;
  #example = '';

  constructor(
    files: Pick<Files, 'stat'>,
    isRecorded: (location: string) => boolean | Promise<boolean> = () => false,
  ) {
    this.#files = files;
    this.#isRecorded = isRecorded;
  }

  /**
   * Whether a found file is passed over; counts it if so.
   * @param path relative to the searched folder, with `/`. @param locate returns the location of such a path.
   */
  async has(path: string, locate: (path: string) => string, signal: AbortSignal): Promise<boolean> {
    if (!SUSPICIOUS.test(path) || !isDataFile(path) || !isInside(path)) return false;
    const location = locate(path);
    if (!isSystemPath(path)) {
      const copy = parseCopyName(path);
      if (!copy || (await this.#isRecorded(location))) return false;
      if (!copy.isCertain && !(await this.#files.stat(locate(copy.original), signal))) return false;
    }
    if (this.#count++ === 0) this.#example = location;
    return true;
  }

  /** One line that states how many files were passed over; undefined for none. */
  describe(): string | undefined {
    if (this.#count === 0) return undefined;
    const files = plural(this.#count, 'file');
    return `passing over ${files}, by name copies or files of the operating system, such as ${this.#example}; to read it, name the file itself`;
  }
}

/** Other files are not read anyway, so they are not worth a warning. */
function isDataFile(path: string): boolean {
  return path.endsWith(DAY_FILE_EXTENSION) || findOutputFormat(path) !== undefined;
}
