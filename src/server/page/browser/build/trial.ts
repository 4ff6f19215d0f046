import { plural } from '../../../../base/units.js';
import { type PageNode, WebSocket } from '../../../../page/browser/dom.js';
import { askFor, reasonOf } from '../ask.js';
import { LineQueue } from '../line-queue.js';
import { say } from '../say.js';

/** Lines that are shown of an answer. */
const LINES = 20;

/** Asks an address for its first lines. */
export interface Trial {
  /** Begins one, or stops the one under way. @param subscribe sent to a WebSocket; may be empty. */
  toggle(address: string, isSocket: boolean, subscribe: string): void;
}

/** @param button says what it would do next. @param output gets the lines. @param state gets the sentence. */
export function createTrial(button: PageNode, output: PageNode, state: PageNode): Trial {
  let stop: (() => void) | undefined;

  const end = (text: string, kind: 'plain' | 'done' | 'problem'): void => {
    stop?.();
    stop = undefined;
    button.textContent = 'Try it';
    say(state, text, kind);
  };
  const show = (lines: readonly string[]): void => {
    output.hidden = lines.length === 0;
    output.textContent = lines.join('\n');
  };

  const tryHttp = async (address: string, abort: AbortController): Promise<void> => {
    try {
      const { body } = await askFor(address, abort.signal);
      const lines = await firstLines(body);
      if (abort.signal.aborted) return;
      show(lines);
      end(sumUp(lines.length), 'done');
    } catch (error) {
      if (!abort.signal.aborted) end(reasonOf(error), 'problem');
    }
  };

  const trySocket = (address: string, subscribe: string): WebSocketTrial => {
    const lines: string[] = [];
    const socket = new WebSocket(address);
    let isOver = false;
    const finish = (text: string, kind: 'done' | 'problem'): void => {
      if (isOver) return;
      isOver = true;
      end(text, kind);
    };
    socket.addEventListener('open', () => {
      if (subscribe.trim() !== '') socket.send(subscribe.trim());
    });
    socket.addEventListener('message', ({ data }) => {
      if (isOver) return;
      lines.push(String(data));
      show(lines);
      if (lines.length >= LINES) finish(sumUp(LINES), 'done');
    });
    socket.addEventListener('close', ({ code, reason }) => {
      if (code === 1000) finish(sumUp(lines.length), 'done');
      else finish(`Closed with ${code}${reason === '' ? '' : `: ${reason}`}`, 'problem');
    });
    return {
      close() {
        isOver = true;
        socket.close();
      },
    };
  };

  return {
    toggle(address, isSocket, subscribe) {
      if (stop) return end('Stopped.', 'plain');
      show([]);
      button.textContent = 'Stop';
      say(state, 'Waiting for the first message.');
      if (isSocket) {
        const socket = trySocket(address, subscribe);
        stop = () => socket.close();
      } else {
        const abort = new AbortController();
        stop = () => abort.abort();
        void tryHttp(address, abort);
      }
    },
  };
}

interface WebSocketTrial {
  close(): void;
}

async function firstLines(body: Response['body']): Promise<readonly string[]> {
  const reader = body?.getReader();
  const lines: string[] = [];
  const queue = new LineQueue({ read: async () => (await reader?.read())?.value });
  while (lines.length < LINES && !queue.isOver) {
    if (queue.head === undefined) await queue.fill();
    else {
      lines.push(queue.head);
      queue.next();
    }
  }
  if (queue.failure) throw queue.failure;
  return lines;
}

function sumUp(lines: number): string {
  if (lines === 0) return 'It answers, and has no messages in this period.';
  return lines < LINES
    ? `That is all: ${plural(lines, 'message')}.`
    : `It works: here are the first ${LINES} messages.`;
}
