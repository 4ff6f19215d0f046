/** Replaces undici's client of HTTP/2, which is never enabled: loading Node's own module takes milliseconds. */
module.exports = () => {
  throw new Error('HTTP/2 is not enabled');
};
