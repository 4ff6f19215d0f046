/**
 * Finds nothing: yargs would list the working folder and those above it, however many files they have, for a version
 * that it is told.
 */
export default () => undefined;
