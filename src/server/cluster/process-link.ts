import type { Worker } from 'node:cluster';
import type { Socket } from 'node:net';
import type { FileError } from '../../base/errors.js';

/** A request of one process of a cluster to the other; each gets a response. */
export type LinkRequest =
  /** From a worker: its `WorkerInput`. */
  | { readonly name: 'input' }
  /** From a worker: the lock of a key; the response is the previous holder's note. `unlock` releases it. */
  | { readonly name: 'lock'; readonly key: string }
  /** From a worker: whether it may serve one more client. `client-left` follows if it may. */
  | { readonly name: 'add-client' }
  /** From a worker: counts of all processes. From the primary process: the worker's own. */
  | { readonly name: 'counts' };

/** Response to the request `input`. */
export interface WorkerInput {
  readonly input: unknown;
  /** Number of workers. */
  readonly workers: number;
}

/** A message without a response. */
export type LinkNotice =
  /** From a worker: it accepts connections. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'unlock'; readonly key: string; readonly note?: number | undefined }
  | { readonly kind: 'client-left' }
  /** From a worker: why it ends, if nothing has reported it yet. */
  | { readonly kind: 'failed'; readonly error: FileError }
  /** From a worker: a warning to print once. */
  | { readonly kind: 'warning'; readonly line: string }
  /** From the primary process, with a connection. The worker answers `accepted` before it serves it. */
  | ConnectionNotice
  | { readonly kind: 'accepted' }
  /** From a worker: a connection of a replay session is closed. */
  | { readonly kind: 'session-left'; readonly session: string }
  /** From the primary process: end after open responses, at most after `graceMs`. */
  | { readonly kind: 'end'; readonly graceMs: number };

export interface ConnectionNotice {
  readonly kind: 'http' | 'websocket';
  /** Bytes that were already read, in latin1. */
  readonly head: string;
  /** Key of its replay session; connections with the same key must go to the same worker. */
  readonly session: string | undefined;
}

type Message =
  | LinkNotice
  | { readonly id: number; readonly request: LinkRequest }
  | { readonly id: number; readonly response: unknown };

export interface LinkHandler {
  onRequest(request: LinkRequest): Promise<unknown>;
  /** @param socket connection sent with the notice, unless it was closed on the way. */
  onNotice(notice: LinkNotice, socket?: Socket): void;
}

interface PendingRequest {
  resolve(response: unknown): void;
  reject(error: Error): void;
}

/** One end of the channel between the primary process and a worker. */
export class ProcessLink {
  readonly #channel: Worker;
  readonly #pending = new Map<number, PendingRequest>();
  #lastId = 0;

  /** @param channel the worker of node:cluster, which both ends have. */
  constructor(channel: Worker, handler: LinkHandler) {
    this.#channel = channel;
    channel.on('message', (message: Message, socket?: Socket) => {
      if ('kind' in message) handler.onNotice(message, socket);
      else if ('request' in message) void this.#respond(message.id, handler.onRequest(message.request));
      else this.#onResponse(message.id, message.response);
    });
    channel.once('disconnect', () => {
      for (const { reject } of this.#pending.values()) reject(new Error('the other process has ended'));
      this.#pending.clear();
    });
  }

  /** Resolves with the response. @throws if the other process has ended, or ends before it responds. */
  request(request: LinkRequest): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const id = ++this.#lastId;
      this.#pending.set(id, { resolve, reject });
      this.#send({ id, request }, undefined, (error) => {
        if (error && this.#pending.delete(id)) reject(error);
      });
    });
  }

  /**
   * @param socket connection to send with the notice; it stays open here too.
   * @param onSent called when the message was sent, or with the error if the other process has ended.
   */
  notify(notice: LinkNotice, socket?: Socket, onSent: (error: Error | null) => void = () => {}): void {
    this.#send(notice, socket, onSent);
  }

  #send(message: Message, socket: Socket | undefined, onSent: (error: Error | null) => void): void {
    this.#channel.send(message, socket, { keepOpen: true }, onSent);
  }

  async #respond(id: number, response: Promise<unknown>): Promise<void> {
    this.#send({ id, response: await response }, undefined, () => {});
  }

  #onResponse(id: number, response: unknown): void {
    this.#pending.get(id)?.resolve(response);
    this.#pending.delete(id);
  }
}
