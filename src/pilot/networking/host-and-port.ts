/** A hostname or address as in a URL: IPv6 in brackets. */
export function bracketed(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

/** `host:port`: a `Host` header, and the name of a virtual host. */
export function hostAndPort(host: string, port: number): string {
  return `${bracketed(host)}:${port}`;
}
