import { usageError } from '../../base/errors.js';
import { DAY_FILE_EXTENSION } from '../../day-files/day-file.js';
import { type JsonLine, parseJsonLines } from '../../store/manifest/json-line.js';
import type { ListedFile } from './listed-plan.js';

/**
 * Parses a list of day files: the JSON lines of `plan --json` or `--failed-to`, or some of them. Only `exchange`,
 * `dataType`, `symbol` and `date` are required; lines of other events than `file` are ignored. A list may be empty.
 * @param name of the list, for errors.
 * @throws usage error with file and line.
 */
export function parseFileList(text: string, name: string): readonly ListedFile[] {
  const files: ListedFile[] = [];
  for (const line of parseJsonLines(text, name)) {
    const event = line.has('event') ? line.text('event') : 'file';
    if (event === 'file') files.push(parseListedFile(line));
    else if (event === 'summary' && line.has('exitCode'))
      assertListComplete(line.count('exitCode'), files, name);
  }
  return files;
}

/** @throws usage error if the list was written by a run that failed before it named a file. */
function assertListComplete(exitCode: number, files: readonly ListedFile[], name: string): void {
  if (exitCode === 0 || files.length > 0) return;
  throw usageError(
    `${name}: the list has no day file, because the run that wrote it ended with code ${exitCode}; run it again`,
  );
}

function parseListedFile(line: JsonLine): ListedFile {
  const file = line.dayFile();
  const status = line.has('status') ? line.text('status') : undefined;
  const path = line.has('path') ? line.path('path') : undefined;
  return {
    file,
    // The path of a conversion is that of its output.
    path: path?.endsWith(DAY_FILE_EXTENSION) ? path : undefined,
    refusal: status === 'pending' || status === 'unavailable' ? status : undefined,
  };
}
