/** Node's mark for bytes of a name that are not UTF-8. It finds no file by a name that has it in their place. */
const REPLACED = '\uFFFD';

/** Whether a path may be one that Node could not decode: it is if nothing is found there. */
export function isReplaced(path: string): boolean {
  return path.includes(REPLACED);
}

/**
 * Why nothing is found at a path.
 * @param usual what is said of a path that could be decoded.
 */
export function whyNotFound(path: string, usual: string): string {
  return isReplaced(path) ? 'its name is not valid UTF-8; rename it' : usual;
}
