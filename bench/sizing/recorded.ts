/** The results of `npm run bench -- sizing`, in bytes, with their conditions. `docs/reference/sizing.md` shows them. */
export interface SizingResults {
  readonly date: string;
  readonly node: string;
  readonly emptyServer: number;
  /** One object with one item. */
  readonly objects: Readonly<Record<string, number>>;
  /** One more item: an endpoint, a route, a subset, a rule. */
  readonly items: Readonly<Record<string, number>>;
  /** One proxy that sees all services of the bench. */
  readonly proxies: Readonly<Record<"SotW" | "delta", number>>;
}

/** The number of services of the bench. */
export const sizedServices = 2_000;
export const sizedProxies = 200;
