import { memoize } from "../../../../lib/memo.ts";
import type { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import type { MeshSettings } from "../../../model/mesh-settings.ts";
import type { MtlsPolicy } from "../../../model/mtls/mtls-policy.ts";
import { mtlsModeOf } from "../../../model/mtls/mtls-policy.ts";
import type { MtlsMode } from "../../../model/mtls/peer-authentication.ts";
import { ownersOf, type TrafficPolicies } from "../../../model/policy/traffic-policies.ts";
import type { Resource } from "../../../model/resource.ts";
import { listenerName } from "../listener-address.ts";
import type { InboundListener, InboundListenerClient } from "./build-inbound-listener.ts";
import { buildInboundListener } from "./build-inbound-listener.ts";
import type { InboundChain, InboundListenerContext } from "./inbound-chains.ts";
import { blackHoleChains, passthroughChains, portChains } from "./inbound-chains.ts";
import type { InboundPort } from "./inbound-ports.ts";

/** The services of a workload, and the connections it accepts. */
export interface Served {
  /** By number; each once. */
  readonly ports: readonly InboundPort[];
  readonly policy: MtlsPolicy;
}

/**
 * The inbound listeners of a workload: one for all that is redirected, and one for each port the proxy binds itself.
 * Workloads that serve the same ports of the same services share them.
 */
export function buildInbound(
  served: Served,
  context: InboundListenerContext,
  writer: ProtoWriter,
): readonly Resource[] {
  const { client, mesh, policies } = context;
  const redirected = client.interception === "none" ? [] : [virtualInbound(served, context, writer)];
  const own = served.ports
    .filter(({ bound }) => bound)
    .flatMap((port) => boundListener(port, served.policy, context, writer) ?? []);
  const { interception, wildcard, localhost, settings } = client;
  return [...redirected, ...own].map(({ chains, ...listener }) =>
    buildListener([mesh, policies, writer, ...chains], {
      listener,
      client: { interception, wildcard, localhost, settings },
    }),
  );
}

interface ListenerFacts {
  readonly listener: Omit<InboundListener, "chains">;
  readonly client: InboundListenerClient;
}

const buildListener = memoize(
  (
    [mesh, policies, writer, ...chains]: readonly [
      MeshSettings,
      TrafficPolicies,
      ProtoWriter,
      ...InboundListener["chains"],
    ],
    { listener, client }: ListenerFacts,
  ): Resource => buildInboundListener({ ...listener, chains }, { client, mesh, policies }, writer),
);

function virtualInbound(
  { ports, policy }: Served,
  context: InboundListenerContext,
  writer: ProtoWriter,
): InboundListener {
  const { client, mesh } = context;
  const redirected = ports.filter(({ bound }) => !bound);
  const known = new Set(ports.map(({ number }) => number));
  // A port in a policy gets the mode of the policy, even without a service.
  const unknown = [...policy.ports.keys()].filter((port) => !known.has(port));
  const accepting = (port: number, chainsFor: (mode: MtlsMode) => readonly InboundChain[]) => {
    const mode = acceptedMode(mtlsModeOf(policy, port), context);
    return mode === "refuse" ? [] : [chainsFor(mode)];
  };
  return {
    name: "virtualInbound",
    bind: client.wildcard,
    port: mesh.inboundPort,
    bound: false,
    chains: [
      blackHoleChains(context, writer),
      ...[0, ...unknown].flatMap((port) => accepting(port, (mode) => passthroughChains(port, mode, context, writer))),
      ...redirected.flatMap((port) => accepting(port.number, (mode) => portChains(port, mode, context, writer))),
    ],
    owners: [...redirected.map(({ owner }) => owner), ...policy.owners, ...ownersOf(context.policies)],
  };
}

/** Undefined for a port that could accept no connection. */
function boundListener(
  port: InboundPort,
  policy: MtlsPolicy,
  context: InboundListenerContext,
  writer: ProtoWriter,
): InboundListener | undefined {
  const { bind, number, owner } = port;
  const mode = acceptedMode(mtlsModeOf(policy, number), context);
  const chains = mode === "refuse" ? [] : [portChains(port, mode, context, writer)];
  if (chains.flat().length === 0) return undefined;
  const owners = [owner, ...policy.owners, ...ownersOf(context.policies)];
  return { name: listenerName(bind, number), bind, port: number, bound: true, chains, owners };
}

/**
 * A proxy without certificates cannot terminate TLS, so it accepts plain text only. Where plain text is not allowed, it
 * accepts nothing. Accepting all connections would be less safe.
 */
function acceptedMode(asked: MtlsMode, { client: { certificates } }: InboundListenerContext): MtlsMode | "refuse" {
  if (certificates.type !== "none") return asked;
  return asked === "strict" ? "refuse" : "disable";
}
