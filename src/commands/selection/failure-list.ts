import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname } from 'node:path';
import { diskError } from '../../base/errors.js';
import type { OutputHost } from '../../base/output-sink.js';
import type { OutputTarget } from '../../base/output-target.js';
import { writeOutput } from '../../base/write-output.js';
import type { PlacedFiles } from '../../download/lists/listed-plan.js';
import type { EventSink } from '../../run/events.js';
import { fileObject, line } from '../../run/json.js';

/**
 * Does a run, and writes the day files that failed as JSON lines (`--failed-to`), whatever ends it; an empty file
 * says that none did.
 * @param target undefined for no list.
 * @param listed the day files of a list (`--from-file`). Those that the run doesn't come to are written too: the list
 * may be the same file, and nothing else names them.
 * @throws TickhaulError `disk` where the list can't be written; where that is plain, before the run.
 */
export async function withFailureList<T>(
  target: OutputTarget | undefined,
  host: OutputHost,
  listed: PlacedFiles | undefined,
  emit: EventSink,
  run: (emit: EventSink) => Promise<T>,
): Promise<T> {
  if (target === undefined) return run(emit);
  await checkWritable(target);
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
    await writeOutput(target, lines, host);
  }
}

async function checkWritable(target: OutputTarget): Promise<void> {
  if (target.kind === 'descriptor') return;
  const path = target.kind === 'file' ? dirname(target.path) : target.name;
  await access(path, constants.W_OK).catch((error: unknown) => {
    throw diskError(error, target.name, 'disk');
  });
}
