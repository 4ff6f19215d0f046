import type { StatusKind } from '../show-status.js';
import type { Player } from './player.js';

/** Status text of a replay. */
export interface ReplayStatus {
  readonly text: string;
  readonly kind: StatusKind;
}

/** Describes the state of a replay. @param what exchange and symbol. */
export function describeReplay(
  { state, messages, failure }: Pick<Player, 'state' | 'messages' | 'failure'>,
  what: string,
): ReplayStatus {
  switch (state) {
    case 'waiting':
      return { text: `Waiting for the first message of ${what}.`, kind: 'plain' };
    case 'playing':
      return { text: `Playing ${what}.`, kind: 'plain' };
    case 'paused':
      return { text: 'Paused. Step shows one more message.', kind: 'plain' };
    case 'ended':
      return { text: `The replay ended: ${describeEnd(messages, what)}`, kind: 'done' };
    case 'failed':
      return { text: `The replay failed: ${failure}. The server’s log has details.`, kind: 'problem' };
  }
}

function describeEnd(messages: number, what: string): string {
  if (messages === 0) return `${what} has no such messages in this period.`;
  return messages === 1
    ? 'its only message was shown.'
    : `all ${messages.toLocaleString('en')} messages were shown.`;
}
