import type { ConfigId } from "../../../../config/config.ts";
import type { Conflict } from "../../../model/conflict.ts";
import type { ServerTls } from "../../../model/gateway/gateway.ts";
import { servicesAt } from "../../../model/policy/policy-workload.ts";
import type { PolicyTarget } from "../../../model/policy/workload-policy.ts";
import type { PushContext } from "../../../model/push-context.ts";
import type { CaptureMode, IngressListener } from "../../../model/scope/sidecar.ts";
import type { ScopeRef, SidecarScope } from "../../../model/scope/sidecar-scope.ts";
import type { Protocol, Service } from "../../../model/service/service.ts";
import type { Workload } from "../../../model/service/service-target.ts";
import { targetsOf } from "../../../model/service/service-target.ts";
import { configPath } from "../../config-path.ts";
import { listenerName } from "../listener-address.ts";
import { mayListen } from "../listener-client.ts";
import type { InboundClient } from "./inbound-client.ts";

/** A port of a workload that accepts inbound traffic. */
export interface InboundPort {
  /** Where the workload listens. */
  readonly number: number;
  readonly protocol: Protocol;
  readonly bind: string;
  /** The proxy binds the port, instead of receiving redirected connections. */
  readonly bound: boolean;
  /** The name in spans: a host, and the port that callers use. */
  readonly hostname: string;
  readonly servicePort: number;
  /** How the proxy serves TLS if mesh mTLS is disabled. */
  readonly tls?: ServerTls | undefined;
  /** The source object as a path in metadata; only set for a Sidecar. */
  readonly config: string | undefined;
  /** The services of the workload that are served there, as policies name them. */
  readonly services: readonly PolicyTarget[];
  /** The memo key of its chains. */
  readonly source: Service | IngressListener;
  readonly owner: ConfigId;
}

/** The ports of a workload, and the services that are not served as declared. */
export interface InboundPorts {
  /** By number; each once. */
  readonly ports: readonly InboundPort[];
  readonly conflicts: readonly Conflict[];
}

/** All that decides about a workload's ports. */
export interface InboundContext {
  readonly workload: Workload;
  readonly ref: ScopeRef;
  readonly scope: SidecarScope;
  readonly client: InboundClient;
  readonly push: PushContext;
}

/** The ports of the workload's Sidecar, if it has ingress listeners; else the ports of its services. */
export function inboundPortsOf(context: InboundContext): InboundPorts {
  const { scope, client } = context;
  if (scope.ingress.length > 0) return onePerNumber(ingressPorts(context), "what the Sidecar lists first counts");
  // A proxy that binds a service port would take the port from the workload. So only a Sidecar may configure this.
  if (client.interception === "none") return { ports: [], conflicts: [] };
  return onePerNumber(servicePorts(context), "the older service says what the port speaks");
}

/** The first one applies. */
function onePerNumber(candidates: readonly InboundPort[], reason: string): InboundPorts {
  const ports = new Map<number, InboundPort>();
  const conflicts: Conflict[] = [];
  for (const port of candidates) {
    const first = ports.get(port.number);
    if (first === undefined) ports.set(port.number, port);
    // Two services on one port conflict only if their protocols differ.
    else if (first.protocol !== port.protocol && port.protocol !== "UDP") {
      conflicts.push(conflictOver(port, first.owner, reason));
    }
  }
  return { ports: [...ports.values()].toSorted((a, b) => a.number - b.number), conflicts };
}

/** Removes ports whose address an outbound listener already binds. A proxy can bind each address only once. */
export function withoutTaken(
  { ports, conflicts }: InboundPorts,
  taken: ReadonlyMap<string, ConfigId | undefined>,
): InboundPorts {
  const isTaken = ({ bound, bind, number }: InboundPort) => bound && taken.has(listenerName(bind, number));
  const lost = ports
    .filter(isTaken)
    .map((port) =>
      conflictOver(port, taken.get(listenerName(port.bind, port.number)), "what leaves the workload comes first"),
    );
  return { ports: ports.filter((port) => !isTaken(port)), conflicts: [...conflicts, ...lost] };
}

function conflictOver({ bind, number, owner }: InboundPort, winner: ConfigId | undefined, reason: string): Conflict {
  return { type: "inbound-listener", about: listenerName(bind, number), winner, losers: [owner], reason };
}

function servicePorts({ workload, client, push }: InboundContext): readonly InboundPort[] {
  const bind = client.wildcard;
  return targetsOf(workload, push)
    .filter(({ port, targetPort }) =>
      mayListen(client, { bind, port: targetPort, protocol: port.protocol, bound: false }),
    )
    .map(({ service, port, targetPort }) => ({
      number: targetPort,
      protocol: port.protocol,
      bind,
      bound: false,
      hostname: service.hostname,
      servicePort: port.number,
      config: undefined,
      services: servicesAt(targetPort, workload, push),
      source: service,
      owner: service.owner,
    }));
}

function ingressPorts({ workload, ref, scope, client, push }: InboundContext): readonly InboundPort[] {
  const { owner } = scope;
  if (owner === undefined) return [];
  const [namespace = "", name = ""] = ref.sidecar.split("/");
  return scope.ingress
    .map((ingress) => ({ ingress, bound: isBound(ingress.captureMode, client) }))
    .filter(({ ingress: { bind, port }, bound }) =>
      mayListen(client, { bind, port: port.number, protocol: port.protocol, bound }),
    )
    .map(({ ingress, bound }) => ({
      number: ingress.port.number,
      protocol: ingress.port.protocol,
      bind: ingress.bind === "" ? client.ownAddress : ingress.bind,
      bound,
      hostname: `${name}.${namespace}`,
      servicePort: ingress.port.number,
      tls: ingress.tls,
      config: configPath("sidecar", namespace, name),
      services: servicesAt(ingress.port.number, workload, push),
      source: ingress,
      owner,
    }));
}

/** Whether the proxy itself binds the port of an ingress listener. */
export function isBound(mode: CaptureMode, { interception }: Pick<InboundClient, "interception">): boolean {
  return mode === "default" ? interception === "none" : mode === "none";
}
