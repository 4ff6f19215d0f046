import type { Kind } from '../say.js';
import type { Player } from './player.js';

export interface Sentence {
  readonly text: string;
  readonly kind: Kind;
}

/** What a replay is at, in words. @param what is watched. */
export function sentenceOf(
  { state, messages, failure }: Pick<Player, 'state' | 'messages' | 'failure'>,
  what: string,
): Sentence {
  switch (state) {
    case 'waiting':
      return { text: `Waiting for the first message of ${what}.`, kind: 'plain' };
    case 'playing':
      return { text: `Playing ${what}.`, kind: 'plain' };
    case 'paused':
      return { text: 'Paused. Step shows one more message.', kind: 'plain' };
    case 'ended':
      return { text: `The replay ended: ${endOf(messages, what)}`, kind: 'done' };
    case 'failed':
      return { text: `The replay broke off: ${failure}. The server’s log says why.`, kind: 'problem' };
  }
}

function endOf(messages: number, what: string): string {
  if (messages === 0) return `${what} has no such messages in this period.`;
  return messages === 1
    ? 'its one message was shown.'
    : `all ${messages.toLocaleString('en')} messages were shown.`;
}
