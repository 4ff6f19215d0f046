/** Node's replacement for bytes of a name that are not UTF-8. A path that contains it finds no such file. */
const REPLACEMENT_CHARACTER = '\uFFFD';

/** Whether Node may have failed to decode this path. It has if no file exists there. */
export function mayBeUndecoded(path: string): boolean {
  return path.includes(REPLACEMENT_CHARACTER);
}

/**
 * Why no file was found at a path.
 * @param otherwise the reason to use for a path that was decoded.
 */
export function whyNotFound(path: string, otherwise: string): string {
  return mayBeUndecoded(path) ? 'its name is not valid UTF-8; rename it' : otherwise;
}
