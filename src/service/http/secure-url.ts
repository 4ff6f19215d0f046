/** Whether a URL may carry secrets: https, or plain http that never leaves this machine. */
export function isSecureUrl(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url.hostname));
}

/** 127.0.0.0/8, ::1, and names under `localhost` (RFC 6761, section 6.3). */
function isLoopback(hostname: string): boolean {
  return /^127(\.\d{1,3}){3}$/.test(hostname) || hostname === '[::1]' || /(^|\.)localhost$/.test(hostname);
}
