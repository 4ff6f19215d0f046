import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname } from 'node:path';
import { diskError } from '../../base/errors.js';
import { writeWhole } from '../../base/write-whole.js';
import type { PlacedFiles } from '../../download/lists/listed-plan.js';
import type { EventSink } from '../../run/events.js';
import { fileObject, line } from '../../run/json.js';

/**
 * Does a run, and writes the day files that failed as JSON lines (`--failed-to`), whatever ends it; an empty file
 * says that none did.
 * @param path undefined for no list.
 * @param listed the day files of a list (`--from-file`). Those that the run doesn't come to are written too: the list
 * may be the same file, and nothing else names them.
 * @throws TickhaulError `disk` where the list can't be written; where that is plain, before the run.
 */
export async function withFailureList<T>(
  path: string | undefined,
  listed: PlacedFiles | undefined,
  emit: EventSink,
  run: (emit: EventSink) => Promise<T>,
): Promise<T> {
  if (path === undefined) return run(emit);
  await access(dirname(path), constants.W_OK).catch((error: unknown) => {
    throw diskError(error, path, 'disk');
  });
  const lines: string[] = [];
  const left = new Map(listed);
  try {
    return await run((event) => {
      if (event.event === 'file') {
        left.delete(event.source ?? event.path);
        if (event.status === 'failed') lines.push(line(fileObject(event)));
      }
      emit(event);
    });
  } finally {
    for (const { file, path, refusal = 'download' } of left.values()) {
      lines.push(line(fileObject({ event: 'file', file, path, status: refusal })));
    }
    await writeWhole(path, lines);
  }
}
