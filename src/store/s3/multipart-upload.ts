import { createHash } from 'node:crypto';
import { TickhaulError } from '../../base/errors.js';
import { formatSize } from '../../base/units.js';
import { onAbort, rejectOnAbort } from '../../base/wait.js';
import { md5Digest, multipartEtag, normalizeEtag } from './etag.js';
import type { ObjectStore, ObjectUpload, ObjectVersion } from './object-store.js';
import type { PartBufferPool } from './part-buffer-pool.js';
import { choosePartBytes, MAX_PARTS } from './part-size.js';
import type { S3Connection } from './s3-connection.js';
import { withShutdownTimeout } from './shutdown-timeout.js';

export interface UploadContext {
  readonly connect: () => Promise<S3Connection>;
  /** The bucket that it goes to. */
  readonly store: Pick<ObjectStore, 'put' | 'head' | 'get' | 'abandon'>;
  readonly target: { readonly Bucket: string; readonly Key: string };
  /** `s3://bucket/key`. */
  readonly name: string;
  readonly partBuffers: PartBufferPool;
  /** Of the whole, where that is known. */
  readonly bytes: number | undefined;
  readonly signal: AbortSignal | undefined;
}

/** A part that the store has. */
interface SentPart {
  readonly md5: Buffer;
  readonly bytes: number;
  /** As the store told it, quotes and all. */
  readonly etag: string;
}

/** Bytes into parts of one size, one on its way while the next one fills; what fits into one is put in one piece. */
export class MultipartObjectUpload implements ObjectUpload {
  readonly #context: UploadContext;
  readonly #partSize: number;
  readonly #stop = new AbortController();
  readonly #leave: (() => void) | undefined;
  readonly #sent: SentPart[] = [];
  /** Not broken off with the rest: an upload that began unheard would stay. */
  readonly #beginning = new AbortController();
  #id: Promise<string> | undefined;
  #filling: Buffer | undefined;
  #filled = 0;
  #inFlight: Promise<void> | undefined;
  #isOver = false;

  constructor(context: UploadContext) {
    this.#context = context;
    this.#partSize = choosePartBytes(context.bytes);
    const { signal } = context;
    this.#leave = signal && onAbort(signal, () => this.#stop.abort(signal.reason));
  }

  async write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      if (this.#filling && this.#filled === this.#filling.length) await this.#makeRoom(this.#filling);
      this.#filling ??= this.#context.partBuffers.acquire(this.#room);
      const piece = bytes.subarray(at, at + this.#filling.length - this.#filled);
      this.#filling.set(piece, this.#filled);
      this.#filled += piece.length;
      at += piece.length;
    }
  }

  async complete(): Promise<ObjectVersion> {
    const { store, target } = this.#context;
    if (!this.#inFlight) {
      const whole = this.#filling?.subarray(0, this.#filled) ?? Buffer.alloc(0);
      const stored = await store.put(target.Key, whole, this.#stop.signal);
      this.#letGo();
      return stored;
    }
    if (this.#filling) await this.#sendFilled(this.#filling);
    await this.#inFlight;
    const etag = await this.#completeParts();
    this.#letGo();
    return { etag, partSize: this.#partSize };
  }

  async abort(): Promise<void> {
    if (this.#isOver) return;
    const { store, target, name } = this.#context;
    this.#stop.abort(new TickhaulError('interrupted', `${name}: broken off`));
    await this.#inFlight?.catch(() => {});
    this.#letGo();
    const begun = this.#id;
    if (begun === undefined) return;
    try {
      await withShutdownTimeout(name, async (signal) =>
        store.abandon({ key: target.Key, id: await begun }, signal),
      );
    } catch {
      // A later run clears it away, or the bucket's lifecycle rule.
    } finally {
      this.#beginning.abort(this.#stop.signal.reason);
    }
  }

  /** Bytes of memory that the next part takes: of a small object only as much as it has. */
  get #room(): number {
    const { bytes = this.#partSize } = this.#context;
    return this.#inFlight ? this.#partSize : Math.max(1, Math.min(bytes, this.#partSize));
  }

  /** What fills is full, and more comes. */
  async #makeRoom(full: Buffer): Promise<void> {
    if (full.length === this.#partSize) return this.#sendFilled(full);
    // More than was announced.
    const { partBuffers } = this.#context;
    this.#filling = partBuffers.acquire(this.#partSize);
    this.#filling.set(full);
    partBuffers.release(full);
  }

  /** Sends what has filled when the part before it is there. */
  async #sendFilled(buffer: Buffer): Promise<void> {
    await this.#inFlight;
    const bytes = buffer.subarray(0, this.#filled);
    this.#filling = undefined;
    this.#filled = 0;
    this.#inFlight = this.#send(bytes).finally(() => this.#context.partBuffers.release(buffer));
    // Told when the next part is to be sent.
    this.#inFlight.catch(() => {});
  }

  async #send(body: Buffer): Promise<void> {
    const { connect, target, name } = this.#context;
    if (this.#sent.length === MAX_PARTS) {
      const limit = formatSize(MAX_PARTS * this.#partSize);
      throw new TickhaulError('rejected', `${name}: larger than ${limit}, which nobody announced`);
    }
    this.#id ??= this.#begin();
    const { signal } = this.#stop;
    const UploadId = await rejectOnAbort(this.#id, signal);
    const { sdk, send } = await connect();
    const md5 = md5Digest(body);
    const part = {
      ...target,
      UploadId,
      PartNumber: this.#sent.length + 1,
      Body: body,
      ContentMD5: md5.toString('base64'),
    };
    const { ETag = `"${md5.toString('hex')}"` } = await send(
      { name, signal, writes: true },
      (client, options) => client.send(new sdk.UploadPartCommand(part), options),
    );
    this.#sent.push({ md5, bytes: body.length, etag: ETag });
  }

  async #begin(): Promise<string> {
    const { connect, target, name } = this.#context;
    const { sdk, send } = await connect();
    return send({ name, signal: this.#beginning.signal, writes: true }, async (client, options) => {
      const { UploadId } = await client.send(new sdk.CreateMultipartUploadCommand(target), options);
      if (UploadId !== undefined) return UploadId;
      throw new TickhaulError('bad_answer', `${name}: the store began an upload without an id`);
    });
  }

  async #completeParts(): Promise<string> {
    const { connect, target, name } = this.#context;
    const { sdk, send } = await connect();
    const Parts = this.#sent.map(({ etag }, at) => ({ PartNumber: at + 1, ETag: etag }));
    return send({ name, signal: this.#stop.signal, writes: true }, async (client, options) => {
      const upload = { ...target, UploadId: await this.#id, MultipartUpload: { Parts } };
      try {
        const answer = await client.send(new sdk.CompleteMultipartUploadCommand(upload), options);
        const etag = normalizeEtag(answer.ETag);
        if (etag !== undefined) return etag;
        throw new TickhaulError('server_error', `${name}: the store did not say that the upload is complete`);
      } catch (error) {
        // It may have been done, and the answer lost.
        const etag = await this.#etagOfOurs();
        if (etag === undefined) throw error;
        return etag;
      }
    });
  }

  /** The ETag of what stands under the key, if that is what was sent. */
  async #etagOfOurs(): Promise<string | undefined> {
    const { store, target } = this.#context;
    const standing = await store.head(target.Key, this.#stop.signal);
    const bytes = this.#sent.reduce((sum, part) => sum + part.bytes, 0);
    if (standing?.bytes !== bytes) return undefined;
    const isOurs =
      standing.etag === multipartEtag(this.#sent.map(({ md5 }) => md5)) ||
      // With keys of one's own (SSE-KMS), and in some stores, an ETag is no MD5.
      (await this.#standsAsSent(standing.etag));
    return isOurs ? standing.etag : undefined;
  }

  async #standsAsSent(etag: string): Promise<boolean> {
    const { store, target } = this.#context;
    let at = 0;
    let hash = createHash('md5');
    let left = this.#sent[0]?.bytes ?? 0;
    for await (const chunk of store.get(target.Key, { etag }, this.#stop.signal)) {
      for (let from = 0; from < chunk.length; ) {
        const piece = chunk.subarray(from, from + left);
        hash.update(piece);
        from += piece.length;
        left -= piece.length;
        if (left > 0) continue;
        if (this.#sent[at]?.md5.equals(hash.digest()) !== true) return false;
        hash = createHash('md5');
        left = this.#sent[++at]?.bytes ?? Number.POSITIVE_INFINITY;
      }
    }
    return at === this.#sent.length;
  }

  #letGo(): void {
    this.#isOver = true;
    this.#leave?.();
    if (this.#filling) this.#context.partBuffers.release(this.#filling);
    this.#filling = undefined;
  }
}
