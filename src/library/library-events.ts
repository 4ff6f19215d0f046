import { type JsonEvent, toFileJson, toFindingJson, toPlanJson } from '../run/json-events.js';
import type { RunEvent } from '../run/run-events.js';
import { toJsonValue } from './to-json-value.js';

/** What the command line writes to stderr, beside `--json`. */
export interface NoticeEvent {
  readonly event: 'warning' | 'note';
  readonly message: string;
}

/** What `planCommand`, `downloadCommand`, `sync`, `verify` and `convertCommand` tell: the events of `--json`, the summary last, and notices. */
export type LibraryEvent = JsonEvent | NoticeEvent;

/** A run's event as it is told; undefined for those that only move bars. */
export function toLibraryEvent(event: RunEvent): LibraryEvent | undefined {
  switch (event.event) {
    case 'plan':
      return toJsonValue(toPlanJson(event));
    case 'file':
      return toJsonValue(toFileJson(event));
    case 'finding':
      return toJsonValue(toFindingJson(event));
    case 'warning':
    case 'note':
      return { event: event.event, message: event.message };
    default:
      return undefined;
  }
}
