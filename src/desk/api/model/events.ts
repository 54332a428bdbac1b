import type { ChangeSummary } from "./changes.ts";
import type { Overview } from "./overview.ts";

/**
 * `GET /api/v1/events`: server-sent events. The `event:` field is the `type`, and `data:` is the JSON of the whole event.
 * A client that reconnects sends `Last-Event-ID` and gets the events that it missed. If the server no longer has them,
 * or has restarted, the first event is `reset`: then the client reads its lists again. A comment every 15 seconds keeps
 * the connection open. A client that reads too slowly is disconnected.
 */
export type DeskEvent =
  /** The stream has begun, or events were lost. */
  | { readonly type: "reset"; readonly start: string }
  /** New changes, and changes with other counts than before. At most four of these events per second. */
  | { readonly type: "changes"; readonly changes: readonly ChangeSummary[] }
  /** At most one per second, and only after something happened. */
  | { readonly type: "overview"; readonly overview: Omit<Overview, "changes"> }
  /** Proxies connected, disconnected or changed their state: lists of proxies are out of date. At most one per second. */
  | { readonly type: "proxies" }
  /** A rollout began, moved or ended: the list of rollouts is out of date. At most one per second. */
  | { readonly type: "rollouts" }
  /** Objects or messages about them changed: lists of objects are out of date. At most one per second. */
  | { readonly type: "configuration" };
