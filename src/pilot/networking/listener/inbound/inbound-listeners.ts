import { Memo } from "../../../../lib/memo.ts";
import type { ProtoWriter } from "../../../../lib/proto-writer/proto-writer.ts";
import type { MtlsPolicy } from "../../../model/mtls/mtls-policy.ts";
import { mtlsModeOf } from "../../../model/mtls/mtls-policy.ts";
import type { MtlsMode } from "../../../model/mtls/peer-authentication.ts";
import type { Resource } from "../../../model/resource.ts";
import { listenerName } from "../listener-address.ts";
import { listenerClientId } from "../listener-client.ts";
import type { InboundListener } from "./build-inbound-listener.ts";
import { buildInboundListener } from "./build-inbound-listener.ts";
import type { InboundChain, InboundSurroundings } from "./inbound-chains.ts";
import { blackHoleChains, passthroughChains, portChains } from "./inbound-chains.ts";
import type { InboundPort } from "./inbound-ports.ts";

/** What a workload serves, and whose connections it accepts. */
export interface Served {
  /** By number; each once. */
  readonly ports: readonly InboundPort[];
  readonly policy: MtlsPolicy;
}

const built = new Memo<Resource>();

/**
 * The inbound listeners of a workload: one for all that is redirected, and one for each port the proxy binds itself.
 * Workloads that serve the same ports of the same services share them.
 */
export function buildInbound(
  served: Served,
  surroundings: InboundSurroundings,
  writer: ProtoWriter,
): readonly Resource[] {
  const { client, mesh } = surroundings;
  const redirected = client.interception === "none" ? [] : [virtualInbound(served, surroundings, writer)];
  const own = served.ports
    .filter(({ bound }) => bound)
    .flatMap((port) => boundListener(port, served.policy, surroundings, writer) ?? []);
  return [...redirected, ...own].map((listener) => {
    const { name, bind, port, bound, chains, owners } = listener;
    const id = JSON.stringify([name, bind, port, bound, listenerClientId(client), owners]);
    return built.get([mesh, writer, ...chains], id, () => buildInboundListener(listener, surroundings, writer));
  });
}

function virtualInbound(
  { ports, policy }: Served,
  surroundings: InboundSurroundings,
  writer: ProtoWriter,
): InboundListener {
  const { client, mesh } = surroundings;
  const redirected = ports.filter(({ bound }) => !bound);
  const known = new Set(ports.map(({ number }) => number));
  // A port that a policy names is to be as it says, even if nobody serves it.
  const unknown = [...policy.ports.keys()].filter((port) => !known.has(port));
  const accepting = (port: number, chainsFor: (mode: MtlsMode) => readonly InboundChain[]) => {
    const mode = acceptedMode(mtlsModeOf(policy, port), surroundings);
    return mode === "refuse" ? [] : [chainsFor(mode)];
  };
  return {
    name: "virtualInbound",
    bind: client.wildcard,
    port: mesh.inboundPort,
    bound: false,
    chains: [
      blackHoleChains(surroundings, writer),
      ...[0, ...unknown].flatMap((port) =>
        accepting(port, (mode) => passthroughChains(port, mode, surroundings, writer)),
      ),
      ...redirected.flatMap((port) => accepting(port.number, (mode) => portChains(port, mode, surroundings, writer))),
    ],
    owners: [...redirected.map(({ owner }) => owner), ...policy.owners],
  };
}

/** Undefined for a port on which nobody could be accepted. */
function boundListener(
  port: InboundPort,
  policy: MtlsPolicy,
  surroundings: InboundSurroundings,
  writer: ProtoWriter,
): InboundListener | undefined {
  const { bind, number, owner } = port;
  const mode = acceptedMode(mtlsModeOf(policy, number), surroundings);
  const chains = mode === "refuse" ? [] : [portChains(port, mode, surroundings, writer)];
  if (chains.flat().length === 0) return undefined;
  const owners = [owner, ...policy.owners];
  return { name: listenerName(bind, number), bind, port: number, bound: true, chains, owners };
}

/**
 * Who has no certificates can end no TLS: plain text is what is left, and where that is not allowed, nothing. To let
 * everybody in instead would be the worse answer.
 */
function acceptedMode(asked: MtlsMode, { client: { certificates } }: InboundSurroundings): MtlsMode | "refuse" {
  if (certificates.type !== "none") return asked;
  return asked === "strict" ? "refuse" : "disable";
}
