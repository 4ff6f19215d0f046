/**
 * Finds nothing: yargs would list the working folder and its parents, however many files they have, to find a version
 * that is set explicitly.
 */
export default () => undefined;
