/** `GET /api/v1/session`: the viewer, and the server that it looks at. */
export interface Session {
  readonly viewer: DeskViewer;
  /** How the viewer was recognised. `token`: by a header; `session`: by the cookie of an entered token. */
  readonly by: "local" | "token" | "session";
  /** When the session ends; absent without a session. ISO 8601. */
  readonly expires?: string;
  readonly server: ServerFacts;
  /**
   * Paths of the endpoints that this server has and the viewer may ask, such as `/proxies/NODE`. The pages hide screens
   * without an endpoint. Absent: only the overview, changes and proxies.
   */
  readonly endpoints?: readonly string[];
}

/** An operator sees everything. A workload sees its own namespace. */
export type DeskViewer =
  | { readonly type: "operator"; readonly mayChange: boolean }
  | { readonly type: "workload"; readonly namespace: string };

export interface ServerFacts {
  readonly version: string;
  readonly commit: string;
  /** Changes with every start. Ids of changes and events are of one start. */
  readonly start: string;
  /** ISO 8601. */
  readonly startedAt: string;
}

/** The body of `POST /api/v1/session`. The answer is a `Session` and sets the cookie. `DELETE` ends the session. */
export interface SessionRequest {
  readonly token: string;
}
