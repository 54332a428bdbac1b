/** `outbound|port|subset|hostname`: the name of a cluster and of its endpoints. */
export function clusterName(port: number, subset: string, hostname: string): string {
  return `outbound|${port}|${subset}|${hostname}`;
}
