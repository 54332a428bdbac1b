import type { AdjustableScopes } from "../../admin/ctrlz/scopes.ts";
import type { Addresses } from "../../admin/state.ts";
import type { Overload } from "../../lib/overload/overload.ts";
import type { CertificateFacts, ControlPlane, StreamCounts, WatchdogFacts } from "./model/control-plane.ts";

/** The facts about the process, from the composition root. */
export interface ControlPlaneState {
  readonly addresses: () => Addresses;
  /** Proxies in the push queue, and how long the first has waited. */
  readonly queue: () => { readonly waiting: number; readonly longestWaitMs: number };
  readonly debounce: { readonly quietMs: number; readonly maxWaitMs: number };
  readonly overload: Overload;
  readonly watchdog: () => WatchdogFacts;
  readonly memory: () => { readonly heapUsedBytes: number; readonly rssBytes: number; readonly uptimeMs: number };
  /** Readers of the live stream, and those that were disconnected because they read too slowly. */
  readonly desks: () => Pick<StreamCounts, "desks" | "slowDesks">;
  /** In no order. */
  readonly certificates: () => readonly CertificateFacts[];
  readonly scopes: AdjustableScopes;
  readonly problems: () => ControlPlane["problems"];
}
