import { memoryUsage, uptime } from "node:process";
import type { ControlPlaneState } from "../../desk/api/control-plane-state.ts";
import { errorFrom } from "../../lib/errors.ts";
import type { DiscoveryServer } from "../../pilot/xds/discovery-server.ts";
import type { CaPart } from "../ca/ca-part.ts";
import type { ProcessContext } from "../parts/process-part.ts";

export interface ControlPlaneParts {
  readonly discovery: Pick<DiscoveryServer, "queued" | "queueMs">;
  /** Undefined if it is off. */
  readonly ca: Pick<CaPart, "certificates"> | undefined;
  readonly desks: ControlPlaneState["desks"];
}

/** The facts of this process for the desk. */
export function controlPlaneState(context: ProcessContext, parts: ControlPlaneParts): ControlPlaneState {
  const { options, listeners, load, watchdog, logs, supervisor, certificates } = context;
  const { discovery, ca, desks } = parts;
  return {
    addresses: () => listeners.addresses,
    queue: () => ({ waiting: discovery.queued, longestWaitMs: discovery.queueMs }),
    debounce: { quietMs: options.debounceAfterMs, maxWaitMs: options.debounceMaxMs },
    overload: load.overload,
    watchdog: () =>
      watchdog === undefined || options.watchdogMs === 0
        ? { type: "off" }
        : { type: "on", stallMs: options.watchdogMs, stalls: watchdog.stalls },
    memory() {
      const { heapUsed, rss } = memoryUsage();
      return { heapUsedBytes: heapUsed, rssBytes: rss, uptimeMs: Math.round(uptime() * 1_000) };
    },
    desks,
    certificates: () =>
      [
        ...certificates.list().map(({ listener, subject, expires }) => ({ name: listener, subject, expires })),
        ...(ca?.certificates() ?? []).map(({ use, fingerprint, expires }) => ({
          name: `authority: ${use}`,
          subject: fingerprint,
          expires,
        })),
      ].map((each) => ({ ...each, expires: new Date(each.expires).toISOString() })),
    scopes: logs,
    problems: () => supervisor.failing.map(({ part, error }) => ({ part, reason: errorFrom(error).message })),
  };
}
