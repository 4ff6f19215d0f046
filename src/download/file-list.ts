import { usageError } from '../errors.js';
import { type JsonLine, jsonLines } from '../store/json-lines.js';
import type { ListedFile } from './listed-plan.js';

/**
 * Reads a list of day files: the JSON lines of `plan --json` or of `--failed-to`, whole or in part. Only
 * `exchange`, `dataType`, `symbol` and `date` are needed; lines of other events than `file` are passed over.
 * @param name of the list, for errors.
 * @throws usage error, naming file and line.
 */
export function parseFileList(text: string, name: string): readonly ListedFile[] {
  const files: ListedFile[] = [];
  for (const line of jsonLines(text, name)) {
    if (!line.has('event') || line.text('event') === 'file') files.push(listedFile(line));
  }
  if (files.length === 0) throw usageError(`${name}: no day file is listed there`);
  return files;
}

function listedFile(line: JsonLine): ListedFile {
  const file = line.dayFile();
  const status = line.has('status') ? line.text('status') : undefined;
  const path = line.has('path') ? line.path('path') : undefined;
  return {
    file,
    // Of a conversion, the path is its output's.
    path: path?.endsWith('.csv.gz') ? path : undefined,
    refusal: status === 'pending' || status === 'unavailable' ? status : undefined,
  };
}
