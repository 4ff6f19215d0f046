/** Memory for the text of slices that wait for their reader, of all replays of a process together. */
export class TextRoom {
  readonly bytes: number;
  /** Bytes; below 0 where more had to be held. */
  left: number;

  constructor(bytes: number) {
    this.bytes = bytes;
    this.left = bytes;
  }
}

/** What one part of a replay holds of it. */
export class HeldText {
  readonly #room: TextRoom;
  #held = 0;
  #isClosed = false;

  constructor(room: TextRoom) {
    this.#room = room;
  }

  get bytes(): number {
    return this.#held;
  }

  /** @returns whether `bytes` fit; they are then reserved. */
  take(bytes: number): boolean {
    if (this.#isClosed || bytes > this.#room.left) return false;
    this.hold(bytes);
    return true;
  }

  /** Counts bytes that are in memory in any case. */
  hold(bytes: number): void {
    if (this.#isClosed) return;
    this.#held += bytes;
    this.#room.left -= bytes;
  }

  release(bytes: number): void {
    this.hold(-bytes);
  }

  /** Releases all of it; from now on there is no room. */
  close(): void {
    this.release(this.#held);
    this.#isClosed = true;
  }
}
