/** A file on the proxy's disk, read by Envoy itself. */
export function fileSource(filename: string) {
  return { specifier: { case: "filename", value: filename } } as const;
}
