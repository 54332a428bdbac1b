/** What can be listened on, and dialled. */
export function isPortNumber(port: number | undefined): port is number {
  return port !== undefined && Number.isInteger(port) && port >= 1 && port <= 65_535;
}
