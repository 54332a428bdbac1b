/** The origin of routes, which decides how their names and prefixes resolve. */
export interface RouteSource {
  /** Completes short names. */
  readonly namespace: string;
  /** The DNS domain of the cluster, which also completes short names. */
  readonly domain: string;
  /** How path prefixes match: as a string prefix, or by path segments as in Ingresses. */
  readonly prefixes: "texts" | "segments";
}
