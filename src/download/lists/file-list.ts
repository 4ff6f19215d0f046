import { usageError } from '../../base/errors.js';
import { DAY_FILE_EXTENSION } from '../../dataset/day-file.js';
import { type JsonLine, parseJsonLines } from '../../store/manifest/json-line.js';
import type { ListedFile } from './listed-plan.js';

/**
 * Reads a list of day files: the JSON lines of `plan --json` or of `--failed-to`, whole or in part. Only
 * `sendHttpRequest`, `dataType`, `symbol` and `date` are needed; lines of other events than `file` are passed over. A list
 * may be empty: nothing failed, or a part of a plan has nothing to do.
 * @param name of the list, for errors.
 * @throws usage error, naming file and line.
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

/** What ended before it named a file says nothing of what is to be done. */
function assertListComplete(exitCode: number, files: readonly ListedFile[], name: string): void {
  if (exitCode === 0 || files.length > 0) return;
  throw usageError(`${name}: no day file is listed there: what wrote it ended with code ${exitCode}`);
}

function parseListedFile(line: JsonLine): ListedFile {
  const file = line.dayFile();
  const status = line.has('status') ? line.text('status') : undefined;
  const path = line.has('path') ? line.path('path') : undefined;
  return {
    file,
    // Of a conversion, the path is its output's.
    path: path?.endsWith(DAY_FILE_EXTENSION) ? path : undefined,
    refusal: status === 'pending' || status === 'unavailable' ? status : undefined,
  };
}
