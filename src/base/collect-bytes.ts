/** Concatenates all chunks. @throws whatever the iteration throws. */
export async function collectBytes(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const collected: Buffer[] = [];
  for await (const chunk of chunks) collected.push(chunk);
  return Buffer.concat(collected);
}
