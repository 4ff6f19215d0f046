import { type JsonEvent, toDayJson, toFileJson, toFindingJson, toPlanJson } from '../events/json-events.js';
import type { RunEvent } from '../events/run-events.js';
import { toJsonValue } from './start-run.js';

/** A line that the command prints to stderr with `--json`. */
export interface NoticeEvent {
  readonly event: 'warning' | 'note';
  readonly message: string;
}

/**
 * Events of `plan`, `download`, `sync`, `verify`, `audit` and `convert`: the events of `--json`, with the summary
 * last, and notices.
 */
export type LibraryEvent = JsonEvent | NoticeEvent;

/** Converts a run event for the reader; undefined for events that only update progress bars. */
export function toLibraryEvent(event: RunEvent): LibraryEvent | undefined {
  switch (event.event) {
    case 'plan':
      return toJsonValue(toPlanJson(event));
    case 'file':
      return toJsonValue(toFileJson(event));
    case 'finding':
      return toJsonValue(toFindingJson(event));
    case 'day':
      return toJsonValue(toDayJson(event));
    case 'warning':
    case 'note':
      return { event: event.event, message: event.message };
    default:
      return undefined;
  }
}
