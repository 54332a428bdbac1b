const scheme = "unix://";

/** The path of a Unix socket's address, undefined for other addresses. */
export function unixPath(address: string): string | undefined {
  return address.startsWith(scheme) ? address.slice(scheme.length) : undefined;
}
