/** A request to a site, before it is sent. */
export interface SiteCall {
  readonly method: string;
  readonly host: string;
  /** Without the query. */
  readonly path: string;
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
}

export function pathAndQuery({ path, query }: SiteCall): string {
  return query === "" ? path : `${path}?${query}`;
}
