/** Options of a command, keyed by the long names of the flags; `read-arguments.ts` reads them. */
export type CommandArgs = Readonly<Record<string, unknown>>;
