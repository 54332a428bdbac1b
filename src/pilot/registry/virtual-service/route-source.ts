/** Where routes were written: decides what their words mean. */
export interface RouteSource {
  /** Completes names that are written short. */
  readonly namespace: string;
  /** The DNS domain of the cluster, which completes them too. */
  readonly domain: string;
  /** What the prefix of a path is a prefix of: of a text or, as Ingresses mean it, of segments between slashes. */
  readonly prefixes: "texts" | "segments";
}
