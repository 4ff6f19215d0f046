import type { Worker } from 'node:cluster';
import type { Socket } from 'node:net';
import type { FileError } from '../../base/file-error.js';

/** What one process of a cluster asks the other. */
export type LinkRequest =
  /** A worker: what it is to serve. */
  | { readonly name: 'input' }
  /** A worker: its turn for works of a name; it tells when they are done. */
  | { readonly name: 'turn'; readonly work: string }
  /** A worker: whether there is room for one more client, which it then has; it tells when that left. */
  | { readonly name: 'enter' }
  /** A worker: whether a connection that came is still for it. */
  | { readonly name: 'claim'; readonly connection: number }
  /** The primary process: whether the worker answers at all. */
  | { readonly name: 'beat' }
  /** A worker: counts of all; the primary process: its own. */
  | { readonly name: 'counts' };

/** The answer to `input`. */
export interface WorkerInput {
  readonly input: unknown;
  /** How many workers there are. */
  readonly workers: number;
}

/** What one process tells the other. */
export type LinkNotice =
  /** A worker takes connections. */
  | { readonly kind: 'ready' }
  | { readonly kind: 'done'; readonly work: string; readonly note?: number | undefined }
  | { readonly kind: 'left' }
  /** From a worker: why it ends, if nothing has reported it yet. */
  | { readonly kind: 'failed'; readonly error: FileError }
  /** To be warned of once. */
  | { readonly kind: 'warning'; readonly line: string }
  /** With a connection, to be claimed by its number, and what was read of it as bytes in latin1. */
  | { readonly kind: 'http' | 'websocket'; readonly connection: number; readonly head: string }
  /** Answers under way have so long. */
  | { readonly kind: 'end'; readonly graceMs: number };

type Message =
  | LinkNotice
  | { readonly request: number; readonly question: LinkRequest }
  | { readonly answer: number; readonly value: unknown };

export interface LinkHandler {
  onRequest(question: LinkRequest): Promise<unknown>;
  /** @param socket a connection that came with it, unless it was closed on its way. */
  onNotice(notice: LinkNotice, socket?: Socket): void;
}

interface PendingRequest {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** One end of the channel between the primary process and a worker. */
export class ProcessLink {
  readonly #channel: Worker;
  readonly #asked = new Map<number, PendingRequest>();
  #count = 0;

  /** @param channel as node:cluster has it at both ends. */
  constructor(channel: Worker, end: LinkHandler) {
    this.#channel = channel;
    channel.on('message', (message: Message, socket?: Socket) => {
      if ('kind' in message) end.onNotice(message, socket);
      else if ('request' in message) void this.#answer(message.request, end.onRequest(message.question));
      else this.#resolveAnswer(message.answer, message.value);
    });
    channel.once('disconnect', () => {
      for (const { reject } of this.#asked.values()) reject(new Error('the other process is gone'));
      this.#asked.clear();
    });
  }

  /** @throws where the other process is gone, or goes. */
  ask(question: LinkRequest): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const ask = ++this.#count;
      this.#asked.set(ask, { resolve, reject });
      this.#send({ request: ask, question }, undefined, (error) => {
        if (error && this.#asked.delete(ask)) reject(error);
      });
    });
  }

  /**
   * @param socket a connection that goes with it; it stays open here too.
   * @param sent called when the message was sent, or with the error if the other process has ended.
   */
  tell(notice: LinkNotice, socket?: Socket, sent: (error: Error | null) => void = () => {}): void {
    this.#send(notice, socket, sent);
  }

  #send(message: Message, socket: Socket | undefined, sent: (error: Error | null) => void): void {
    this.#channel.send(message, socket, { keepOpen: true }, sent);
  }

  async #answer(answer: number, asked: Promise<unknown>): Promise<void> {
    this.#send({ answer, value: await asked }, undefined, () => {});
  }

  #resolveAnswer(answer: number, value: unknown): void {
    this.#asked.get(answer)?.resolve(value);
    this.#asked.delete(answer);
  }
}
