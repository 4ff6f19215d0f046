/** Whether an address has the same port of this machine as the origin. */
export function isSameService(address: string, origin: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, hostname, port } = new URL(address);
  return (
    protocol === 'http:' && ['127.0.0.1', 'localhost'].includes(hostname) && port === new URL(origin).port
  );
}
