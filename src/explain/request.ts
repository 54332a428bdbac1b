/** A request as a proxy receives it. */
export interface Request {
  /** The port of the listener. */
  readonly port: number;
  readonly host: string;
  /** With the query, if there is one. */
  readonly path: string;
  readonly method: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The value of a header as Envoy's matchers see it, pseudo-headers included. */
export function headerOf(request: Request, name: string): string | undefined {
  switch (name) {
    case ":method":
      return request.method;
    case ":authority":
      return request.host;
    case ":path":
      return request.path;
    case ":scheme":
      return "http";
    default:
      return request.headers[name.toLowerCase()];
  }
}

/** The path without its query: what path matchers look at. */
export function pathOf({ path }: Request): string {
  return path.split("?", 1)[0] ?? "";
}

export function queryOf({ path }: Request): URLSearchParams {
  const question = path.indexOf("?");
  return new URLSearchParams(question === -1 ? "" : path.slice(question + 1));
}
