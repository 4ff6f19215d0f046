/** All bytes of what comes in chunks, in one piece. @throws what the chunks throw. */
export async function collectBytes(chunks: AsyncIterable<Buffer>): Promise<Buffer> {
  const collected: Buffer[] = [];
  for await (const chunk of chunks) collected.push(chunk);
  return Buffer.concat(collected);
}
