import type { Cancel } from "../../lib/clock.ts";
import type { Lease } from "../resource-source.ts";
import type { Subscription } from "../subscription/subscription.ts";
import type { Dialect } from "../wire/dialect.ts";

/** One type on one stream. */
export interface Watch {
  readonly subscription: Subscription;
  readonly dialect: Dialect;
  lease: Lease;
  /** Why the next response goes out; empty when only the client's own request does. */
  readonly causes: Set<string>;
  /** A change has been waiting for an acknowledgement. */
  delayed: boolean;
  cancelTimeout: Cancel;
}

/** The watches of a stream by type URL. */
export type Watches = ReadonlyMap<string, Watch>;
