import type { Addresses } from "../../admin/state.ts";
import type { IssueCounts } from "../../app/control-plane.ts";
import { counted } from "../../lib/counted.ts";
import type { Terminal } from "../command.ts";

export interface ReadyLineOptions {
  readonly addresses: Addresses;
  /** The listeners to show, in this order. */
  readonly listeners: readonly (keyof Addresses)[];
  /** A count of the content, such as `12 services`. */
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

/** Prints one line with the security objects that are not enforced. */
export function sayUnenforced({ unenforced }: IssueCounts, { complain }: Pick<Terminal, "complain">): void {
  const kinds = Object.entries(unenforced);
  if (kinds.length === 0) return;
  const total = kinds.reduce((sum, [, count]) => sum + count, 0);
  const named = kinds.map(([kind, count]) => `${kind} (${count})`).join(", ");
  const where = "see /debug/issues, or accept it with --allow-unenforced";
  complain(`not enforced: ${counted(total, "object")} that security relies on: ${named}; ${where}`);
}
