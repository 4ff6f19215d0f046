const LF = 10;

/** Counts the lines of a chunked response (RFC 9112, section 7.1) as it arrives. */
export class Answer {
  messages = 0;
  isWhole = false;
  /** Received part of a head, or of a chunk's size. */
  #line = '';
  #hasHead = false;
  /** Remaining bytes of the current chunk, including its end. */
  #left = 0;

  /** @throws for any response but one with status 200. */
  take(bytes) {
    let at = this.#hasHead ? 0 : this.#takeHead(bytes);
    while (at < bytes.length && !this.isWhole)
      at = this.#left > 0 ? this.#skip(bytes, at) : this.#size(bytes, at);
  }

  #takeHead(bytes) {
    this.#line += bytes.latin1Slice();
    const end = this.#line.indexOf('\r\n\r\n');
    if (end < 0) return bytes.length;
    if (!/^HTTP\/1\.1 200 /.test(this.#line)) throw new Error(this.#line);
    const behind = this.#line.length - end - 4;
    this.#hasHead = true;
    this.#line = '';
    return bytes.length - behind;
  }

  #size(bytes, start) {
    const end = bytes.indexOf(LF, start);
    if (end < 0) {
      this.#line += bytes.latin1Slice(start);
      return bytes.length;
    }
    const size = Number.parseInt(this.#line + bytes.latin1Slice(start, end), 16);
    this.#line = '';
    this.isWhole = size === 0;
    this.#left = size + 2;
    return end + 1;
  }

  /** The LF that ends a chunk is not a line. */
  #skip(bytes, start) {
    const end = Math.min(bytes.length, start + this.#left);
    for (let at = bytes.indexOf(LF, start); at >= 0 && at < end; at = bytes.indexOf(LF, at + 1))
      this.messages++;
    this.#left -= end - start;
    if (this.#left === 0) this.messages--;
    return end;
  }
}
