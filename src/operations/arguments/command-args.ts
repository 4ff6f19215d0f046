/** Options of a command, keyed by the long names of the flags; `readCommandOptions` parses them. */
export type CommandArgs = Readonly<Record<string, unknown>>;
