import type { FeedPlan } from '../../dialects/feed-plan.js';
import {
  EXCHANGE_MESSAGE_TYPES,
  type ExchangeMessageTypeName,
  type NormalizedType,
} from '../../market/names/message-type-name.js';
import type { EventSink } from '../../run/run-events.js';
import type { FeedSource } from './feed-source.js';

/** Warns of types that an exchange lacks in all or part of the period; they are skipped there. */
export function warnOfMissingTypes(
  { exchange, types }: FeedSource,
  { segments, missingTypes }: FeedPlan,
  emit: EventSink,
): void {
  const warn = (sources: readonly ExchangeMessageTypeName[], when: string): void => {
    const names = types.filter((type) => sources.some((source) => dependsOn(type, source)));
    if (names.length === 0) return;
    const list = names.map(({ name }) => name).join(' or ');
    emit({ event: 'warning', message: `${exchange} has no ${list} messages${when}; skipping them` });
  };
  warn(missingTypes, '');
  const found = new Set(segments.flatMap((segment) => segment.types));
  for (const segment of segments) {
    const absent = [...found].filter((type) => !segment.types.includes(type));
    warn(absent, ` from ${formatTime(segment.start)} to ${formatTime(segment.end)}`);
  }
}

function dependsOn({ dayFileType }: NormalizedType, source: ExchangeMessageTypeName): boolean {
  return EXCHANGE_MESSAGE_TYPES[source] === dayFileType;
}

/** Formats a time as `2026-04-28`, with hours and minutes unless it is midnight. @param time microseconds. */
function formatTime(time: number): string {
  return new Date(time / 1000)
    .toISOString()
    .replace(/:00\.000Z$/, '')
    .replace(/T00:00$/, '');
}
