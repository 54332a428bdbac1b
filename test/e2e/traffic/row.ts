/** Routes of one host, and the outcome of requests to it. */
export interface Group {
  /** The subject of the routes. Also names the host. */
  readonly about: string;
  /** The HTTP routes of its VirtualService. */
  readonly http: readonly object[];
  readonly rows: readonly Row[];
}

export interface Row {
  /** Forms a sentence about traffic together with the group's name. */
  readonly name: string;
  readonly call: RowCall;
  readonly outcome: RowOutcome;
}

export interface RowCall {
  readonly method?: string;
  readonly path?: string;
  /** The host as the client writes it, given the group's own host. */
  readonly host?: (own: string) => string;
  readonly headers?: Readonly<Record<string, string>>;
}

export type RowOutcome =
  | Arrival
  /** The proxy answers by itself. `HOST` in the location stands for the requested host. */
  | { readonly status: number; readonly body?: string; readonly location?: string; readonly headers?: Headers };

/** The name of the workload, and the headers that the workload and the client see. */
interface Arrival {
  readonly by: string;
  readonly path?: string;
  readonly host?: string;
  readonly received?: Headers;
  readonly answered?: Headers;
}

/** Checked headers. Undefined requires that the header is absent. */
type Headers = Readonly<Record<string, string | undefined>>;

export function row(name: string, call: RowCall, outcome: RowOutcome): Row {
  return { name, call, outcome };
}

const shop = "shop.svc.cluster.local";
/** Without its own port, a destination in a sidecar uses the port of the request. */
const port = { number: 9080 };

/** The destinations of the shop, by the name of their workload. */
export const destinations = {
  v1: { host: `reviews.${shop}`, subset: "v1", port },
  v2: { host: `reviews.${shop}`, subset: "v2", port },
  ratings: { host: `ratings.${shop}`, port },
  missingService: { host: `nobody.${shop}`, port },
  missingSubset: { host: `reviews.${shop}`, subset: "v9", port },
} as const;

/** The part of a route that sends everything to one destination. */
export function to(name: keyof typeof destinations): { readonly route: readonly object[] } {
  return { route: [{ destination: destinations[name] }] };
}
