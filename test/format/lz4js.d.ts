declare module 'lz4js' {
  /** Decompresses a frame. @param maxSize at least the size of the result. */
  export function decompress(frame: Uint8Array, maxSize?: number): Uint8Array;
  /** Compresses to a frame. */
  export function compress(bytes: Uint8Array): Uint8Array;
}
