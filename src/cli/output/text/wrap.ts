/** Pieces with spaces between them, in lines of so many columns; a piece is never broken. For plain ASCII. */
export function wrapPieces(pieces: readonly string[], columns: number): readonly string[] {
  const lines: string[] = [];
  for (const piece of pieces) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + piece.length <= columns)
      lines[lines.length - 1] += ` ${piece}`;
    else lines.push(piece);
  }
  return lines;
}
