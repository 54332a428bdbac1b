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
  /** Whether only healthy machines get traffic, as their agents report. */
  readonly healthChecks: boolean;
  /** Whether a machine needs an authenticated identity to register. */
  readonly identityCheck: boolean;
  readonly onEvent: (event: RegistrationEvent) => void;
}

/** One entry, and its newest stream. */
interface Registration {
  workload: RegisteredWorkload;
  speaker: Proxy;
}

/** The type of health reports of agents. A report with an error means unhealthy. */
export const healthType = "type.googleapis.com/istio.v1.HealthInformation";

/**
 * Registers machines that join the mesh by themselves. A proxy that names its WorkloadGroup gets a WorkloadEntry while
 * it is connected, and for a time after. The entry belongs to the stream that was opened last. So the end of an older
 * stream, even if noticed late, removes nothing.
 */
export class WorkloadRegistry implements ProxyLifecycleHooks {
  readonly #options: WorkloadRegistryOptions;
  readonly #registrations = new Map<string, Registration>();

  constructor(options: WorkloadRegistryOptions) {
    this.#options = options;
  }

  arrived(proxy: Proxy): Refusal | undefined {
    const group = groupOf(proxy);
    if (group === "") return undefined;
    const refusal = this.#register(proxy, group);
    if (refusal !== undefined) this.#options.onEvent("failed");
    return refusal;
  }

  left(proxy: Proxy): void {
    const key = keyOf(proxy);
    const registration = this.#registrations.get(key);
    if (registration?.speaker !== proxy) return;
    this.#options.onEvent("unregistered");
    this.#options.clock.after(this.#options.graceMs, () => this.#delete(key, registration));
  }

  handles(typeUrl: string): boolean {
    return typeUrl === healthType;
  }

  answer({ client, error }: Pick<OutOfBandRequest<Proxy>, "client" | "error">): void {
    const registration = this.#registrations.get(keyOf(client));
    if (!this.#options.healthChecks || registration?.speaker !== client) return;
    const health: WorkloadHealth = error === undefined ? "healthy" : "unhealthy";
    if (registration.workload.health === health) return;
    registration.workload = { ...registration.workload, health };
    this.#options.store.put(registration.workload);
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
    const known = this.#registrations.get(keyOf(proxy));
    const health = known?.workload.health ?? (facts.probed && healthChecks ? "unhealthy" : "healthy");
    const workload = workloadOf(proxy, group, health);
    try {
      store.put(workload);
    } catch (thrown) {
      return refused(GrpcStatus.FAILED_PRECONDITION, `WorkloadGroup ${group}: ${errorFrom(thrown).message}`);
    }
    this.#registrations.set(keyOf(proxy), { workload, speaker: proxy });
    onEvent(known === undefined ? "registered" : "refreshed");
    return undefined;
  }

  /** Unless the machine came back: its new stream made a new registration. */
  #delete(key: string, registration: Registration): void {
    if (this.#registrations.get(key) !== registration) return;
    this.#registrations.delete(key);
    this.#options.store.remove(registration.workload.namespace, registration.workload.name);
    this.#options.onEvent("deleted");
  }
}

function groupOf({ metadata }: Proxy): string {
  const group = metadata["AUTO_REGISTER_GROUP"];
  return typeof group === "string" ? group : "";
}

function keyOf(proxy: Proxy): string {
  return `${proxy.namespace}/${entryName(groupOf(proxy), proxy)}`;
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

function refused(status: GrpcStatus, message: string): Refusal {
  return { type: "refused", status, message: `auto-registration: ${message}` };
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
