import { type PageNode, WebSocket } from '../../../../base/page/browser/dom.js';
import { plural } from '../../../../base/units.js';
import { describeError, fetchOrThrow } from '../fetch-response.js';
import { LineQueue } from '../line-queue.js';
import { showStatus } from '../show-status.js';

/** Maximum number of lines shown. */
const MAX_LINES = 20;

/** Requests an address and shows its first lines. */
export interface Trial {
  /** Starts a trial, or stops the running one. @param subscribe message for a WebSocket; may be empty. */
  toggle(address: string, isSocket: boolean, subscribe: string): void;
}

/** @param button its label is the next action. @param output shows the lines. @param state shows the status. */
export function createTrial(button: PageNode, output: PageNode, state: PageNode): Trial {
  let stop: (() => void) | undefined;

  const finish = (text: string, kind: 'plain' | 'done' | 'problem'): void => {
    stop?.();
    stop = undefined;
    button.textContent = 'Try it';
    showStatus(state, text, kind);
  };
  const show = (lines: readonly string[]): void => {
    output.hidden = lines.length === 0;
    output.textContent = lines.join('\n');
  };

  const tryHttp = async (address: string, controller: AbortController): Promise<void> => {
    try {
      const { body } = await fetchOrThrow(address, controller.signal);
      const lines = await readFirstLines(body);
      if (controller.signal.aborted) return;
      show(lines);
      finish(describeResult(lines.length), 'done');
    } catch (error) {
      if (!controller.signal.aborted) finish(describeError(error), 'problem');
    }
  };

  const trySocket = (address: string, subscribe: string): WebSocketTrial => {
    const lines: string[] = [];
    const socket = new WebSocket(address);
    let isDone = false;
    const finishOnce = (text: string, kind: 'done' | 'problem'): void => {
      if (isDone) return;
      isDone = true;
      finish(text, kind);
    };
    socket.addEventListener('open', () => {
      if (subscribe.trim() !== '') socket.send(subscribe.trim());
    });
    socket.addEventListener('message', ({ data }) => {
      if (isDone) return;
      lines.push(String(data));
      show(lines);
      if (lines.length >= MAX_LINES) finishOnce(describeResult(MAX_LINES), 'done');
    });
    socket.addEventListener('close', ({ code, reason }) => {
      if (code === 1000) finishOnce(describeResult(lines.length), 'done');
      else finishOnce(`Closed with ${code}${reason === '' ? '' : `: ${reason}`}`, 'problem');
    });
    return {
      close() {
        isDone = true;
        socket.close();
      },
    };
  };

  return {
    toggle(address, isSocket, subscribe) {
      if (stop) return finish('Stopped.', 'plain');
      show([]);
      button.textContent = 'Stop';
      showStatus(state, 'Waiting for the first message.');
      if (isSocket) {
        const socket = trySocket(address, subscribe);
        stop = () => socket.close();
      } else {
        const controller = new AbortController();
        stop = () => controller.abort();
        void tryHttp(address, controller);
      }
    },
  };
}

interface WebSocketTrial {
  close(): void;
}

async function readFirstLines(body: Response['body']): Promise<readonly string[]> {
  const reader = body?.getReader();
  const lines: string[] = [];
  const queue = new LineQueue({ read: async () => (await reader?.read())?.value });
  while (lines.length < MAX_LINES && !queue.isOver) {
    if (queue.head === undefined) await queue.fill();
    else {
      lines.push(queue.head);
      queue.next();
    }
  }
  if (queue.failure) throw queue.failure;
  return lines;
}

function describeResult(lines: number): string {
  if (lines === 0) return 'The request succeeded, but there are no messages in this period.';
  return lines < MAX_LINES
    ? `Complete: ${plural(lines, 'message')}.`
    : `Success: the first ${MAX_LINES} messages are shown.`;
}
