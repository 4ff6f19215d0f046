/** Whether secrets may be sent to a URL: https, or plain http to this machine. */
export function isSecureUrl(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
}

/** 127.0.0.0/8, ::1, and names under `localhost` (RFC 6761, section 6.3). */
function isLoopback(hostname: string): boolean {
  return /^127(\.\d{1,3}){3}$/.test(hostname) || hostname === '[::1]' || /(^|\.)localhost$/.test(hostname);
}
