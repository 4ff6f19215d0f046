/** Options of a command by the long names of its flags, whoever gave them; read with `read.ts`. */
export type CommandArgs = Readonly<Record<string, unknown>>;
