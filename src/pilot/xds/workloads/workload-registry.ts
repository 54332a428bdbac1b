import type { WorkloadHealth } from "../../../config/mesh/workload-health.ts";
import { errorFrom } from "../../../lib/errors.ts";
import { GrpcStatus } from "../../../lib/grpc/grpc-stream.ts";
import type { Clock } from "../../../lib/time/clock.ts";
import type { Refusal } from "../../../xds/admission.ts";
import type { OutOfBandRequest } from "../../../xds/xds-server.ts";
import type { Proxy } from "../../model/proxy/proxy.ts";
import type { ProxyLifecycleHooks } from "../admission/stream-admission.ts";
import type { RegisteredWorkload, WorkloadStore } from "./workload-store.ts";

/** Events of registrations, for metrics. */
export type RegistrationEvent = "registered" | "refreshed" | "unregistered" | "deleted" | "failed";

export interface WorkloadRegistryOptions {
  readonly store: WorkloadStore;
  readonly clock: Clock;
  /** The time between a disconnect and the removal of the entry. */
  readonly graceMs: number;
  /** Whether machines may register themselves. */
  readonly autoRegistration: boolean;
  /** Whether only healthy machines get traffic, as their agents report. */
  readonly healthChecks: boolean;
  /** Whether a machine needs an authenticated identity to register. */
  readonly identityCheck: boolean;
  readonly onEvent: (event: RegistrationEvent) => void;
}

/** One entry with the health of its machine, and its newest stream. */
type Registration =
  | { readonly type: "registered"; workload: RegisteredWorkload; readonly speaker: Proxy }
  | { readonly type: "checked"; readonly entry: EntryName; health: WorkloadHealth; readonly speaker: Proxy };

interface EntryName {
  readonly namespace: string;
  readonly name: string;
}

/** The type of health reports of agents. A report with an error means unhealthy. */
export const healthType = "type.googleapis.com/istio.v1.HealthInformation";

/**
 * Registers machines that join the mesh by themselves. A proxy that names its WorkloadGroup gets a WorkloadEntry while
 * it is connected, and for a time after. A proxy that names a WorkloadEntry that a person wrote reports its health, if
 * the entry asks for that. The entry belongs to the stream that was opened last. So the end of an older stream, even if
 * noticed late, removes nothing.
 */
export class WorkloadRegistry implements ProxyLifecycleHooks {
  readonly #options: WorkloadRegistryOptions;
  readonly #registrations = new Map<string, Registration>();

  constructor(options: WorkloadRegistryOptions) {
    this.#options = options;
  }

  arrived(proxy: Proxy): Refusal | undefined {
    const group = this.#groupOf(proxy);
    if (group === "") return this.#check(proxy);
    const refusal = this.#register(proxy, group);
    if (refusal !== undefined) this.#options.onEvent("failed");
    return refusal;
  }

  left(proxy: Proxy): void {
    const key = this.#keyOf(proxy);
    const registration = this.#registrations.get(key);
    if (registration?.speaker !== proxy) return;
    if (registration.type === "registered") this.#options.onEvent("unregistered");
    this.#options.clock.after(this.#options.graceMs, () => this.#delete(key, registration));
  }

  handles(typeUrl: string): boolean {
    return typeUrl === healthType;
  }

  answer({ client, error }: Pick<OutOfBandRequest<Proxy>, "client" | "error">): void {
    const registration = this.#registrations.get(this.#keyOf(client));
    const { healthChecks, store } = this.#options;
    if (!healthChecks || registration?.speaker !== client) return;
    const health: WorkloadHealth = error === undefined ? "healthy" : "unhealthy";
    if (registration.type === "checked") {
      if (registration.health === health) return;
      registration.health = health;
      store.report(registration.entry.namespace, registration.entry.name, health, "reported");
      return;
    }
    if (registration.workload.health === health) return;
    registration.workload = { ...registration.workload, health };
    store.put(registration.workload, "reported");
  }

  /** A proxy of an entry that a person wrote. */
  #check(proxy: Proxy): Refusal | undefined {
    const { store, healthChecks, identityCheck } = this.#options;
    const { namespace } = proxy;
    const name = entryOf(proxy);
    if (name === "" || !healthChecks) return undefined;
    const facts = store.entry(namespace, name);
    if (facts === undefined) {
      return refused(GrpcStatus.FAILED_PRECONDITION, `there is no WorkloadEntry ${namespace}/${name}`, "health checks");
    }
    if (!facts.checked) return undefined;
    if (identityCheck && !mayJoin(proxy, facts.serviceAccount)) {
      const wanted = `of ${facts.serviceAccount || "an account"} in ${namespace}`;
      const message = `to report health of ${name}, prove over TLS that you are ${wanted}`;
      return refused(GrpcStatus.PERMISSION_DENIED, message, "health checks");
    }
    const known = this.#registrations.get(this.#keyOf(proxy));
    const health = known?.type === "checked" ? known.health : "unhealthy";
    store.report(namespace, name, health, "connected");
    this.#registrations.set(this.#keyOf(proxy), {
      type: "checked",
      entry: { namespace, name },
      health,
      speaker: proxy,
    });
    return undefined;
  }

  #register(proxy: Proxy, group: string): Refusal | undefined {
    const { store, identityCheck, healthChecks, onEvent } = this.#options;
    const facts = store.group(proxy.namespace, group);
    if (facts === undefined) {
      return refused(GrpcStatus.FAILED_PRECONDITION, `there is no WorkloadGroup ${proxy.namespace}/${group}`);
    }
    if (identityCheck && !mayJoin(proxy, facts.serviceAccount)) {
      const wanted = `of ${facts.serviceAccount || "an account"} in ${proxy.namespace}`;
      return refused(GrpcStatus.PERMISSION_DENIED, `to join ${group}, prove over TLS that you are ${wanted}`);
    }
    const known = this.#registrations.get(this.#keyOf(proxy));
    const before = known?.type === "registered" ? known.workload.health : undefined;
    const health = before ?? (facts.probed && healthChecks ? "unhealthy" : "healthy");
    const workload = workloadOf(proxy, group, health);
    try {
      store.put(workload, "connected");
    } catch (thrown) {
      return refused(GrpcStatus.FAILED_PRECONDITION, `WorkloadGroup ${group}: ${errorFrom(thrown).message}`);
    }
    this.#registrations.set(this.#keyOf(proxy), { type: "registered", workload, speaker: proxy });
    onEvent(known === undefined ? "registered" : "refreshed");
    return undefined;
  }

  /** Unless the machine came back: its new stream made a new registration. */
  #delete(key: string, registration: Registration): void {
    if (this.#registrations.get(key) !== registration) return;
    this.#registrations.delete(key);
    const { namespace, name } = registration.type === "registered" ? registration.workload : registration.entry;
    this.#options.store.remove(namespace, name);
    if (registration.type === "registered") this.#options.onEvent("deleted");
  }

  /** Empty for a proxy that does not register itself. */
  #groupOf(proxy: Proxy): string {
    return this.#options.autoRegistration ? textOf(proxy.metadata["AUTO_REGISTER_GROUP"]) : "";
  }

  #keyOf(proxy: Proxy): string {
    const group = this.#groupOf(proxy);
    return `${proxy.namespace}/${group === "" ? entryOf(proxy) : entryName(group, proxy)}`;
  }
}

/** The entry that a proxy says it is of. */
function entryOf(proxy: Proxy): string {
  return textOf(proxy.metadata["WORKLOAD_ENTRY"]);
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function mayJoin({ identity }: Proxy, serviceAccount: string): boolean {
  return identity !== undefined && (serviceAccount === "" || identity.serviceAccount === serviceAccount);
}

function workloadOf(proxy: Proxy, group: string, health: WorkloadHealth): RegisteredWorkload {
  const { region, zone, subzone } = proxy.locality;
  return {
    namespace: proxy.namespace,
    name: entryName(group, proxy),
    group,
    address: proxy.ipAddresses.slice(0, 1).join(),
    labels: proxy.labels,
    network: proxy.network,
    locality: [region, zone, subzone].filter((part) => part !== "").join("/"),
    health,
    nodeId: proxy.nodeId,
  };
}

function refused(status: GrpcStatus, message: string, of = "auto-registration"): Refusal {
  return { type: "refused", status, message: `${of}: ${message}` };
}

/** The limit for names of Kubernetes objects. The end of a name distinguishes entries. */
const longest = 253;

/** The name of the WorkloadEntry of a machine: its group, its address and its network. */
export function entryName(group: string, { ipAddresses, network }: Pick<Proxy, "ipAddresses" | "network">): string {
  const address = ipAddresses.slice(0, 1).map((first) => first.replaceAll(":", "-"));
  const parts = [group, ...address, network].filter((part) => part !== "");
  return parts
    .join("-")
    .slice(-longest)
    .replace(/^[^a-z0-9]+/u, "");
}
