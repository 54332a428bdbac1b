import type { Addresses } from "../../admin/state.ts";
import type { IssueCounts } from "../../app/control-plane.ts";
import { counted } from "../text/counted.ts";

export interface ReadyLineOptions {
  readonly addresses: Addresses;
  /** Those that are shown, in this order. */
  readonly listeners: readonly (keyof Addresses)[];
  /** What there is, such as `12 services`. */
  readonly content: string;
  readonly issues: IssueCounts;
}

/** The one line that a server prints: `ready: xds 127.0.0.1:15010, http …, 12 services, 3 warnings`. */
export function readyLine({ addresses, listeners, content, issues }: ReadyLineOptions): string {
  const listening = listeners.map((name) => `${name} ${addresses[name]}`);
  const counts = [content, counted(issues.warnings, "warning")];
  if (issues.errors > 0) counts.push(counted(issues.errors, "error"));
  return `ready: ${[...listening, ...counts].join(", ")}`;
}
