import { createHash } from 'node:crypto';
import { TickhaulError } from '../../src/base/errors.js';
import { rejectOnAbort } from '../../src/base/wait.js';
import type { StoredVersion } from '../../src/store/files.js';
import type {
  ByteRange,
  ObjectStore,
  ObjectUpload,
  StoredObject,
  UnfinishedUpload,
} from '../../src/store/s3/object-store.js';

/** One request of a client: its method, and the key or prefix. */
export interface StoreCall {
  readonly name: 'put' | 'head' | 'get' | 'list' | 'remove' | 'complete' | 'part';
  readonly key: string;
}

/**
 * Awaited before a request takes effect and before its response arrives. The client receives what it throws:
 * before, the request has no effect; after, it has taken effect.
 */
export type RequestGate = (call: StoreCall, moment: 'before' | 'after') => Promise<void>;

interface StoredBody {
  readonly body: Buffer;
  readonly etag: string;
  readonly modified: number;
}

/** A bucket in memory. Each request, and each page of a listing, is one atomic step. */
export class MemoryBucket {
  /**
   * The store’s clock, in milliseconds since the epoch. Reported times have whole seconds, as in real stores.
   */
  now = Date.UTC(2026, 0, 1);
  /** Keys per page of a listing. */
  page = 1000;
  readonly #objects = new Map<string, StoredBody>();
  readonly #unfinishedUploads = new Map<string, UnfinishedUpload>();
  #uploads = 0;

  /** Keys with this prefix, in order. */
  keys(prefix = ''): readonly string[] {
    return [...this.#objects.keys()].filter((key) => key.startsWith(prefix)).sort();
  }

  /** Keys of unfinished uploads. */
  uploads(): readonly string[] {
    return [...this.#unfinishedUploads.values()].map(({ key }) => key);
  }

  bytes(key: string): Buffer | undefined {
    return this.#objects.get(key)?.body;
  }

  text(key: string): string | undefined {
    return this.bytes(key)?.toString('utf8');
  }

  write(key: string, body: Uint8Array | string): StoredVersion {
    const bytes = Buffer.from(body as Uint8Array);
    const etag = createHash('md5').update(bytes).digest('hex');
    this.#objects.set(key, { body: bytes, etag, modified: Math.floor(this.now / 1000) * 1000 });
    return { etag };
  }

  delete(key: string): void {
    this.#objects.delete(key);
  }

  client(gate: RequestGate = async () => {}): ObjectStore {
    const ask = async <T>(call: StoreCall, act: () => T): Promise<T> => {
      await gate(call, 'before');
      const result = act();
      await gate(call, 'after');
      return result;
    };
    // An aborted request may still take effect.
    const request: Request = (call, act, signal) =>
      signal ? rejectOnAbort(ask(call, act), signal) : ask(call, act);
    const list = (prefix: string, signal?: AbortSignal) => this.#list(prefix, request, signal);
    const unfinished = this.#unfinishedUploads;
    return {
      name: 's3://bucket',
      check: async (prefix) => this.keys(prefix).length > 0,
      put: (key, body, signal) => {
        signal?.throwIfAborted();
        return request({ name: 'put', key }, () => this.write(key, body), signal);
      },
      head: (key, signal) => request({ name: 'head', key }, () => this.#look(key), signal),
      get: (key, range, signal) => this.#get(key, range, request, signal),
      getWhole: (key, signal) => {
        signal?.throwIfAborted();
        return request({ name: 'get', key }, () => this.bytes(key), signal);
      },
      list,
      remove: async (keys, signal) => {
        signal?.throwIfAborted();
        for (const key of keys) await request({ name: 'remove', key }, () => this.delete(key), signal);
      },
      upload: (key, _bytes, signal) => this.#upload(key, request, signal),
      async *listUploads(prefix) {
        yield [...unfinished.values()].filter(({ key }) => key.startsWith(prefix));
      },
      abortUpload: async ({ id }) => {
        unfinished.delete(id);
      },
    };
  }

  #look(key: string): StoredObject | undefined {
    const held = this.#objects.get(key);
    return held && { key, bytes: held.body.length, etag: held.etag, modified: held.modified };
  }

  async *#list(prefix: string, request: Request, signal?: AbortSignal): AsyncGenerator<StoredObject[]> {
    for (let after = ''; ; ) {
      signal?.throwIfAborted();
      const look = (): StoredObject[] => {
        const keys = this.keys(prefix).filter((key) => key > after);
        return keys.slice(0, this.page).flatMap((key) => this.#look(key) ?? []);
      };
      const page = await request({ name: 'list', key: prefix }, look, signal);
      if (page.length > 0) yield page;
      if (page.length < this.page) return;
      after = page.at(-1)?.key ?? '';
    }
  }

  async *#get(
    key: string,
    range: ByteRange | undefined,
    request: Request,
    signal?: AbortSignal,
  ): AsyncGenerator<Buffer> {
    const held = await request({ name: 'get', key }, () => this.#objects.get(key), signal);
    if (!held) throw new TickhaulError('missing', `s3://bucket/${key}: there is no such object`);
    if (range?.etag !== undefined && range.etag !== held.etag)
      throw new TickhaulError('changed', `s3://bucket/${key}: the object was replaced`);
    const bytes = held.body.subarray(range?.start, range?.end);
    // Chunks of odd sizes, so that lines and characters are cut.
    for (let at = 0; at < bytes.length; at += 1009) yield bytes.subarray(at, at + 1009);
  }

  #upload(key: string, request: Request, signal?: AbortSignal): ObjectUpload {
    const id = String(++this.#uploads);
    const parts: Buffer[] = [];
    return {
      write: (bytes) => {
        const take = (): void => {
          this.#unfinishedUploads.set(id, { key, id, startedMs: this.now });
          parts.push(Buffer.from(bytes));
        };
        return request({ name: 'part', key }, take, signal);
      },
      complete: () => {
        const stand = (): StoredVersion => {
          this.#unfinishedUploads.delete(id);
          return this.write(key, Buffer.concat(parts));
        };
        return request({ name: 'complete', key }, stand, signal);
      },
      abort: async () => {
        this.#unfinishedUploads.delete(id);
      },
    };
  }
}

type Request = <T>(call: StoreCall, act: () => T, signal?: AbortSignal) => Promise<T>;

/** The error of every request of a client whose process was killed. */
export class Killed extends Error {}

/**
 * Lets a client send some requests. The next one is lost: it has no effect, or takes effect without a
 * response.
 */
export function killAfter(
  requests: number,
  moment: 'before' | 'after',
  gate: RequestGate = async () => {},
): RequestGate {
  let left = requests;
  let isDead = false;
  return async (call, at) => {
    if (!isDead) await gate(call, at);
    if (at === 'before' && !isDead) left--;
    if (left < 0 && at === moment) isDead = true;
    if (isDead) throw new Killed(`killed at ${call.name} ${call.key}`);
  };
}
