import type { RunEvent } from '../run/events.js';
import { fileObject, findingObject, type JsonEvent, planObject } from '../run/json.js';
import { plainly } from './plainly.js';

/** What the command line writes to stderr, beside `--json`. */
export interface NoticeEvent {
  readonly event: 'warning' | 'note';
  readonly message: string;
}

/** What `plan`, `download`, `sync`, `verify` and `convert` tell: the events of `--json`, the summary last, and notices. */
export type ToldEvent = JsonEvent | NoticeEvent;

/** A run's event as it is told; undefined for those that only move bars. */
export function toldOf(event: RunEvent): ToldEvent | undefined {
  switch (event.event) {
    case 'plan':
      return plainly(planObject(event));
    case 'file':
      return plainly(fileObject(event));
    case 'finding':
      return plainly(findingObject(event));
    case 'warning':
    case 'note':
      return { event: event.event, message: event.message };
    default:
      return undefined;
  }
}
