import { createHash } from 'node:crypto';
import { TickhaulError } from '../../base/errors.js';
import { formatSize } from '../../base/units.js';
import { onAbort, rejectOnAbort } from '../../base/wait.js';
import type { StoredVersion } from '../files.js';
import {
  md5Digest,
  multipartEtag,
  normalizeEtag,
  type ObjectStore,
  type ObjectUpload,
  withShutdownTimeout,
} from './object-store.js';
import type { S3Connection, Sdk, SendOnce } from './s3-connection.js';

/** Limit of S3 for the parts of one upload. */
export const MAX_PARTS = 10_000;
/** Usual size of a part; larger objects need larger parts. S3 requires at least 5 MiB. */
export const PART_BYTES = 6 * 1024 * 1024;
/** Memory used by an upload: one part that is sent, one that is filled. */
export const UPLOAD_MEMORY_BYTES = 2 * PART_BYTES;
const PART_STEP_BYTES = 1024 * 1024;
const MAX_PART_BYTES = 5 * 1024 ** 3;

/** Number of buffers kept for reuse, which is cheaper than allocating and clearing memory. */
const MAX_SPARE_BUFFERS = 20;

/** Buffers of parts that are filled or sent. The callers limit how many are in use at once. */
export class PartBufferPool {
  readonly #spare: Buffer[] = [];

  acquire(bytes: number): Buffer {
    return (bytes === PART_BYTES ? this.#spare.pop() : undefined) ?? Buffer.allocUnsafeSlow(bytes);
  }

  /** Call it only once the buffer is no longer in use. */
  release(buffer: Buffer): void {
    if (buffer.length === PART_BYTES && this.#spare.length < MAX_SPARE_BUFFERS) this.#spare.push(buffer);
  }
}

/**
 * Size of all parts of an upload except the last. Some stores (R2) require equal sizes.
 * @param bytes size of the object; if undefined, it may be as large as parts of the usual size allow.
 * @throws TickhaulError `disk` for an object larger than S3 supports.
 */
export function choosePartBytes(bytes: number | undefined): number {
  const minBytes = Math.ceil((bytes ?? 0) / MAX_PARTS);
  const size = Math.max(PART_BYTES, Math.ceil(minBytes / PART_STEP_BYTES) * PART_STEP_BYTES);
  if (size <= MAX_PART_BYTES) return size;
  throw new TickhaulError('disk', `an object of ${bytes} bytes is larger than an object store supports`);
}

export interface UploadContext {
  readonly connection: S3Connection;
  /** The bucket of the object. */
  readonly store: Pick<ObjectStore, 'put' | 'head' | 'get' | 'abortUpload'>;
  readonly target: { readonly Bucket: string; readonly Key: string };
  /** `s3://bucket/key`. */
  readonly name: string;
  readonly partBuffers: PartBufferPool;
  /** Size of the object, if known. */
  readonly bytes: number | undefined;
  readonly signal: AbortSignal | undefined;
}

/** A part that the store has acknowledged. */
interface SentPart {
  readonly md5: Buffer;
  readonly bytes: number;
  /** As in the response, including quotes. */
  readonly etag: string;
}

/**
 * Splits bytes into parts of one size: while one is sent, the next is filled. A single part is put as a whole
 * (docs/spec/s3-layout.md#uploads).
 * The class must not have the name of the SDK property `MultipartUpload`: TypeScript then emits the property in
 * an object literal under the name of its alias for the class, and the store receives no parts.
 */
export class MultipartObjectUpload implements ObjectUpload {
  readonly #context: UploadContext;
  readonly #partSize: number;
  readonly #stop = new AbortController();
  readonly #removeListener: (() => void) | undefined;
  readonly #sent: SentPart[] = [];
  /**
   * Separate from `#stop`: if the creation of an upload were aborted, its id would be lost and the upload
   * would remain.
   */
  readonly #creationAbort = new AbortController();
  #id: Promise<string> | undefined;
  #filling: Buffer | undefined;
  #filled = 0;
  #inFlight: Promise<void> | undefined;
  #isDone = false;

  constructor(context: UploadContext) {
    this.#context = context;
    this.#partSize = choosePartBytes(context.bytes);
    const { signal } = context;
    this.#removeListener = signal && onAbort(signal, () => this.#stop.abort(signal.reason));
  }

  async write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      if (this.#filling && this.#filled === this.#filling.length) await this.#makeRoom(this.#filling);
      this.#filling ??= this.#context.partBuffers.acquire(this.#nextPartBytes);
      const piece = bytes.subarray(at, at + this.#filling.length - this.#filled);
      this.#filling.set(piece, this.#filled);
      this.#filled += piece.length;
      at += piece.length;
    }
  }

  async complete(): Promise<StoredVersion> {
    const { store, target } = this.#context;
    if (!this.#inFlight) {
      const whole = this.#filling?.subarray(0, this.#filled) ?? Buffer.alloc(0);
      const stored = await store.put(target.Key, whole, this.#stop.signal);
      this.#finish();
      return stored;
    }
    if (this.#filling) await this.#sendFilled(this.#filling);
    await this.#inFlight;
    const etag = await this.#completeParts();
    this.#finish();
    return { etag, partSize: this.#partSize };
  }

  async abort(): Promise<void> {
    if (this.#isDone) return;
    const { store, target, name } = this.#context;
    this.#stop.abort(new TickhaulError('interrupted', `${name}: upload aborted`));
    await this.#inFlight?.catch(() => {});
    this.#finish();
    const creating = this.#id;
    if (creating === undefined) return;
    try {
      await withShutdownTimeout(name, async (signal) =>
        store.abortUpload({ key: target.Key, id: await creating }, signal),
      );
    } catch {
      // A later run, or the bucket's lifecycle rule, removes it.
    } finally {
      this.#creationAbort.abort(this.#stop.signal.reason);
    }
  }

  /** Buffer size for the next part; a small object needs only its own size. */
  get #nextPartBytes(): number {
    const { bytes = this.#partSize } = this.#context;
    return this.#inFlight ? this.#partSize : Math.max(1, Math.min(bytes, this.#partSize));
  }

  /** Called when the buffer is full and more bytes follow. */
  async #makeRoom(full: Buffer): Promise<void> {
    if (full.length === this.#partSize) return this.#sendFilled(full);
    // The object is larger than announced.
    const { partBuffers } = this.#context;
    this.#filling = partBuffers.acquire(this.#partSize);
    this.#filling.set(full);
    partBuffers.release(full);
  }

  /** Sends the filled buffer, after the previous part. */
  async #sendFilled(buffer: Buffer): Promise<void> {
    await this.#inFlight;
    const bytes = buffer.subarray(0, this.#filled);
    this.#filling = undefined;
    this.#filled = 0;
    this.#inFlight = this.#send(bytes).finally(() => this.#context.partBuffers.release(buffer));
    // Errors are thrown when the next part is sent, or on completion.
    this.#inFlight.catch(() => {});
  }

  async #send(body: Buffer): Promise<void> {
    const { connection, target, name } = this.#context;
    if (this.#sent.length === MAX_PARTS) {
      const limit = formatSize(MAX_PARTS * this.#partSize);
      throw new TickhaulError('rejected', `${name}: is larger than ${limit}, although no size was announced`);
    }
    this.#id ??= this.#create();
    const { signal } = this.#stop;
    const UploadId = await rejectOnAbort(this.#id, signal);
    const md5 = md5Digest(body);
    const part = {
      ...target,
      UploadId,
      PartNumber: this.#sent.length + 1,
      Body: body,
      ContentMD5: md5.toString('base64'),
    };
    const { ETag = `"${md5.toString('hex')}"` } = await connection.send(
      name,
      (sdk) => new sdk.UploadPartCommand(part),
      { signal, writes: true },
    );
    this.#sent.push({ md5, bytes: body.length, etag: ETag });
  }

  async #create(): Promise<string> {
    const { connection, target, name } = this.#context;
    const options = { signal: this.#creationAbort.signal, writes: true };
    const create = (sdk: Sdk) => new sdk.CreateMultipartUploadCommand(target);
    const { UploadId } = await connection.send(name, create, options);
    if (UploadId !== undefined) return UploadId;
    throw new TickhaulError('bad_answer', `${name}: the store created an upload without an id`);
  }

  async #completeParts(): Promise<string> {
    const { connection, target, name } = this.#context;
    const Parts = this.#sent.map(({ etag }, at) => ({ PartNumber: at + 1, ETag: etag }));
    const complete = async (send: SendOnce, sdk: Sdk): Promise<string> => {
      const upload = { ...target, UploadId: await this.#id, MultipartUpload: { Parts } };
      try {
        const response = await send(new sdk.CompleteMultipartUploadCommand(upload));
        const etag = normalizeEtag(response.ETag);
        if (etag !== undefined) return etag;
        throw new TickhaulError(
          'server_error',
          `${name}: the store did not confirm that the upload is complete`,
        );
      } catch (error) {
        // The upload may have been completed, and only the response lost.
        const etag = await this.#findUploadedEtag();
        if (etag === undefined) throw error;
        return etag;
      }
    };
    return connection.attempt(name, complete, { signal: this.#stop.signal, writes: true });
  }

  /** The ETag of the object under the key, if it consists of the sent parts. */
  async #findUploadedEtag(): Promise<string | undefined> {
    const { store, target } = this.#context;
    const stored = await store.head(target.Key, this.#stop.signal);
    const bytes = this.#sent.reduce((sum, part) => sum + part.bytes, 0);
    if (stored?.bytes !== bytes) return undefined;
    const isOurs =
      stored.etag === multipartEtag(this.#sent.map(({ md5 }) => md5)) ||
      // With customer keys (SSE-KMS), and in some stores, an ETag is not computed from MD5s.
      (await this.#hasSentParts(stored.etag));
    return isOurs ? stored.etag : undefined;
  }

  async #hasSentParts(etag: string): Promise<boolean> {
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

  #finish(): void {
    this.#isDone = true;
    this.#removeListener?.();
    if (this.#filling) this.#context.partBuffers.release(this.#filling);
    this.#filling = undefined;
  }
}
