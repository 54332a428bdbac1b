import type { Topic } from "../../admin/ctrlz/topic.ts";
import type { GuestServer } from "../../admin/guest-server.ts";
import type { Metrics } from "../../admin/metrics/metrics.ts";
import type { Emitter } from "../../admin/probes/emitter.ts";
import type { Route } from "../../admin/route.ts";
import type { Graph } from "../../collection/graph.ts";
import type { Supervisor } from "../../lib/supervisor.ts";
import type { Clock } from "../../lib/time/clock.ts";
import type { LogScopes } from "../log/log-scopes.ts";
import type { Options } from "../options/options.ts";
import type { Component } from "../process/lifecycle.ts";
import type { Listeners } from "../process/listeners.ts";
import type { ShownCertificates } from "../process/shown-certificates.ts";
import type { OverloadPart } from "../overload/overload-part.ts";
import type { Watchdog } from "../watchdog/watchdog.ts";
import type { SupervisedPart } from "./supervised-parts.ts";

/** The services that all parts of a process share. */
export interface ProcessContext {
  readonly options: Options;
  readonly clock: Clock;
  readonly logs: LogScopes;
  readonly metrics: Metrics;
  /** Runs work that no proxy waits for. */
  readonly supervisor: Supervisor<SupervisedPart>;
  readonly listeners: Listeners;
  /** The certificates that the listeners show. */
  readonly certificates: ShownCertificates;
  readonly version: string;
  /** Measures the load, and decides which work is shed. */
  readonly load: OverloadPart;
  /** Undefined if the log is not on stderr. */
  readonly watchdog: Watchdog | undefined;
}

/** One job of a process, as the host sees it: Galley, Pilot or the webhook. Some parts have no pages. */
export interface ProcessPart {
  /** In the order of their start. */
  readonly components: readonly Component[];
  /** Reports when the part is ready. */
  readonly emitter: Emitter;
  /** For the HTTP port. */
  readonly pages?: readonly Route[];
  /** Serves paths of the HTTP port by its own rules. */
  readonly guest?: GuestServer;
  /** Whether its memory contains the content of Secrets. */
  readonly holdsSecrets?: () => boolean;
  /** For ctrlz. */
  readonly topics?: readonly Topic[];
  /** Its collections, by the name of their graph. */
  readonly graphs?: ReadonlyMap<string, Graph>;
}
