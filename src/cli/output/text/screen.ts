/** A text output: stdout, stderr, or a sink of a test. */
export interface OutputScreen {
  /** Returns false if the caller should wait for `drain` before writing more. */
  write(text: string): unknown;
  once?(event: 'drain', listener: () => void): unknown;
  /**
   * `resize`: the size has changed. `continue`: the process was resumed after a stop (Ctrl-Z), and the shell
   * has printed lines.
   */
  on?(event: 'resize' | 'continue', listener: () => void): unknown;
  off?(event: 'resize' | 'continue', listener: () => void): unknown;
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
}

/** Columns of the screen; 80 if it reports none. */
export function screenColumns({ columns }: OutputScreen): number {
  return columns || 80;
}

/** Columns available for text; infinite without a terminal, where nothing is wrapped or shortened. */
export function textColumns(screen: OutputScreen): number {
  return screen.isTTY === true ? screenColumns(screen) : Number.POSITIVE_INFINITY;
}
