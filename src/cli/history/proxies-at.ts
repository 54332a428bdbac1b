import type { FleetAt, ProxyAt } from "../../history/fleet-at.ts";
import { compareTexts } from "../../lib/compare.ts";
import { textTable } from "../text/text-table.ts";
import { timeText } from "./list-moments.ts";

/** A connected proxy as the command prints it. */
interface ShownProxy {
  readonly proxy: string;
  readonly namespace: string;
  readonly version: string;
  /** The last moment that it had accepted in all types; 0 for none. */
  readonly accepted: number;
  /** The types in which it was behind. */
  readonly behind: readonly ShownLag[];
}

interface ShownLag {
  /** CDS, LDS, … */
  readonly type: string;
  /** The last moment that it had accepted; 0 for none. */
  readonly accepted: number;
  readonly why: "waiting" | "rejected";
}

/** The proxies of a time as the command prints them. */
export interface ShownFleet {
  /** The last moment that had been pushed. */
  readonly pushed: number;
  /** The last change among the proxies. */
  readonly noted: string;
  readonly proxies: readonly ShownProxy[];
}

/** Those that were behind first, the farthest first. */
export function shownFleet({ moment, at, proxies }: FleetAt): ShownFleet {
  const shown = [...proxies.values()].map((proxy) => shownProxy(proxy, moment));
  return { pushed: moment, noted: timeText(at), proxies: shown.toSorted(compareShown) };
}

export function fleetText({ pushed, proxies }: ShownFleet, form: "text" | "wide"): string {
  const isWide = form === "wide";
  const head = ["PROXY", "ACCEPTED", "BEHIND", ...(isWide ? ["NAMESPACE", "VERSION"] : [])];
  const rows = proxies.map(({ proxy, accepted, behind, namespace, version }) => [
    proxy,
    `${accepted} of ${pushed}`,
    behind.map(({ type, accepted: its, why }) => `${type} ${why} at ${its}`).join(", ") || "-",
    ...(isWide ? [namespace, version || "-"] : []),
  ]);
  return textTable(head, rows);
}

function shownProxy({ nodeId, facts, lags }: ProxyAt, moment: number): ShownProxy {
  const behind = Object.entries(lags).map(([type, [accepted, why]]) => ({ type, accepted, why }));
  return {
    proxy: nodeId,
    namespace: textIn(facts["namespace"]),
    version: textIn(facts["build"]),
    accepted: behind.reduce((least, { accepted }) => Math.min(least, accepted), moment),
    behind,
  };
}

function textIn(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function compareShown(a: ShownProxy, b: ShownProxy): number {
  return a.accepted - b.accepted || compareTexts(a.proxy, b.proxy);
}
