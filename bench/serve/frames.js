const TEXT = 1;
const CLOSE = 8;
const FINISHED = 1000;
const NOTHING = Buffer.alloc(0);

/** Counts the text frames of a server (RFC 6455, section 5.2) as they arrive. */
export class Frames {
  messages = 0;
  isWhole = false;
  #rest = NOTHING;
  #isOpen = false;
  /** Remaining bytes of the current frame. */
  #left = 0;

  /** @throws if the upgrade is rejected, or the connection closes with another code than 1000. */
  take(chunk) {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#rest = NOTHING;
    let at = this.#isOpen ? 0 : this.#takeHead(bytes);
    while (at < bytes.length) {
      if (this.#left > 0) {
        const taken = Math.min(this.#left, bytes.length - at);
        this.#left -= taken;
        at += taken;
        continue;
      }
      const begun = this.#begin(bytes, at);
      if (begun === undefined) break;
      at = begun;
    }
    if (at < bytes.length) this.#rest = bytes.subarray(at);
  }

  #takeHead(bytes) {
    const end = bytes.indexOf('\r\n\r\n');
    if (end < 0) return 0;
    if (!bytes.latin1Slice(0, end).startsWith('HTTP/1.1 101 ')) throw new Error(bytes.latin1Slice());
    this.#isOpen = true;
    return end + 4;
  }

  /** Offset of a frame's body; undefined if its head is incomplete. */
  #begin(bytes, at) {
    if (!this.#isOpen || bytes.length < at + 2) return undefined;
    const short = bytes[at + 1];
    const head = short < 126 ? 2 : short === 126 ? 4 : 10;
    if (bytes.length < at + head) return undefined;
    const size =
      short < 126 ? short : short === 126 ? bytes.readUInt16BE(at + 2) : bytes.readUInt32BE(at + 6);
    const kind = bytes[at] & 0xf;
    if (kind === CLOSE) return this.#close(bytes, at + head, size);
    if (kind === TEXT) this.messages++;
    this.#left = size;
    return at + head;
  }

  #close(bytes, at, size) {
    if (bytes.length < at + size) return undefined;
    const code = bytes.readUInt16BE(at);
    if (code !== FINISHED) throw new Error(`${code} ${bytes.toString('utf8', at + 2, at + size)}`);
    this.isWhole = true;
    return at + size;
  }
}
