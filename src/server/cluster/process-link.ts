import type { Worker } from 'node:cluster';
import type { Socket } from 'node:net';
import type { FileError } from '../../base/file-error.js';

/** A request between the processes of a cluster. */
export type LinkRequest =
  /** From a worker: the options of the server. */
  | { readonly name: 'input' }
  /** From a worker: the lock of this name, until its `done`. */
  | { readonly name: 'turn'; readonly work: string }
  /** From a worker: whether one more client is allowed, until its `left`. */
  | { readonly name: 'enter' }
  /** From a worker: whether a passed connection still belongs to it. */
  | { readonly name: 'claim'; readonly connection: number }
  /** From the primary process: a heartbeat. */
  | { readonly name: 'beat' }
  /** From a worker: counts of all processes. From the primary process: counts of the worker. */
  | { readonly name: 'counts' };

/** The response to `input`. */
export interface WorkerInput {
  readonly input: unknown;
  /** Number of workers. */
  readonly workers: number;
}

/** A message without a response. */
export type LinkNotice =
  /** From a worker: it accepts connections. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'done'; readonly work: string; readonly note?: number | undefined }
  | { readonly kind: 'left' }
  /** From a worker: the error with which it ends. */
  | { readonly kind: 'failed'; readonly error: FileError }
  /** From a worker: a warning, which is printed once. */
  | { readonly kind: 'warning'; readonly line: string }
  /** A connection, which the worker claims by its number, and the bytes already read of it, in latin1. */
  | { readonly kind: 'http' | 'websocket'; readonly connection: number; readonly head: string }
  /** From the primary process: shut down after at most this time. */
  | { readonly kind: 'end'; readonly graceMs: number };

type Message =
  | LinkNotice
  | { readonly request: number; readonly value: LinkRequest }
  | { readonly response: number; readonly value: unknown };

export interface LinkHandler {
  onRequest(request: LinkRequest): Promise<unknown>;
  /** @param socket the connection sent with the notice; undefined if it was closed meanwhile. */
  onNotice(notice: LinkNotice, socket?: Socket): void;
}

interface PendingRequest {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** One end of the channel between the primary process and a worker. */
export class ProcessLink {
  readonly #channel: Worker;
  readonly #pending = new Map<number, PendingRequest>();
  #count = 0;

  /** @param channel the worker object of node:cluster, which both processes have. */
  constructor(channel: Worker, handler: LinkHandler) {
    this.#channel = channel;
    channel.on('message', (message: Message, socket?: Socket) => {
      if ('kind' in message) handler.onNotice(message, socket);
      else if ('request' in message) void this.#respond(message.request, handler.onRequest(message.value));
      else this.#resolve(message.response, message.value);
    });
    channel.once('disconnect', () => {
      for (const { reject } of this.#pending.values()) reject(new Error('the other process has ended'));
      this.#pending.clear();
    });
  }

  /** Sends a request. @returns its response. @throws if the other process has ended or ends. */
  request(value: LinkRequest): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const id = ++this.#count;
      this.#pending.set(id, { resolve, reject });
      this.#send({ request: id, value }, undefined, (error) => {
        if (error && this.#pending.delete(id)) reject(error);
      });
    });
  }

  /**
   * Sends a notice.
   * @param socket a connection to send with it, which also stays open in this process.
   * @param sent called when the notice was sent, or with an error if the other process has ended.
   */
  notify(notice: LinkNotice, socket?: Socket, sent: (error: Error | null) => void = () => {}): void {
    this.#send(notice, socket, sent);
  }

  #send(message: Message, socket: Socket | undefined, sent: (error: Error | null) => void): void {
    this.#channel.send(message, socket, { keepOpen: true }, sent);
  }

  async #respond(response: number, value: Promise<unknown>): Promise<void> {
    this.#send({ response, value: await value }, undefined, () => {});
  }

  #resolve(response: number, value: unknown): void {
    this.#pending.get(response)?.resolve(value);
    this.#pending.delete(response);
  }
}
