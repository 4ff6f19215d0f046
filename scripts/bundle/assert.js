/** Replaces the assertions of yargs, which always hold: loading Node's own module takes a millisecond. */
export function notStrictEqual(found, unwanted) {
  if (Object.is(found, unwanted)) throw new Error(`${found} was not expected`);
}

export function strictEqual(found, wanted) {
  if (!Object.is(found, wanted)) throw new Error(`${wanted} was expected, not ${found}`);
}
