/** Whether a number is a valid port to listen on and to connect to. */
export function isPortNumber(port: number | undefined): port is number {
  return port !== undefined && Number.isInteger(port) && port >= 1 && port <= 65_535;
}
