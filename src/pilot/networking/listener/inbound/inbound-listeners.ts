import { Memo } from "../../../../lib/memo.ts";
import type { ProtoWriter } from "../../../../lib/proto-writer.ts";
import type { Resource } from "../../../model/resource.ts";
import { listenerName } from "../listener-address.ts";
import type { InboundListener } from "./build-inbound-listener.ts";
import { buildInboundListener } from "./build-inbound-listener.ts";
import type { InboundSurroundings } from "./inbound-chains.ts";
import { blackHoleChains, passthroughChains, portChains } from "./inbound-chains.ts";
import type { InboundClient } from "./inbound-client.ts";
import type { InboundPort } from "./inbound-ports.ts";
import type { MtlsMode } from "./inbound-rules.ts";

const built = new Memo<Resource>();

/**
 * The inbound listeners of a workload: one for all that is redirected, and one for each port the proxy binds itself.
 * Workloads that serve the same ports of the same services share them.
 */
export function buildInbound(
  ports: readonly InboundPort[],
  surroundings: InboundSurroundings,
  writer: ProtoWriter,
): readonly Resource[] {
  const { client, mesh } = surroundings;
  const redirected = client.interception === "none" ? [] : [virtualInbound(ports, surroundings, writer)];
  const own = ports.filter(({ bound }) => bound).map((port) => boundListener(port, surroundings, writer));
  return [...redirected, ...own].map((listener) => {
    const { name, bind, port, bound, chains, owners } = listener;
    const id = JSON.stringify([name, bind, port, bound, client.interception, owners]);
    return built.get([mesh, writer, ...chains], id, () => buildInboundListener(listener, surroundings, writer));
  });
}

function virtualInbound(
  ports: readonly InboundPort[],
  surroundings: InboundSurroundings,
  writer: ProtoWriter,
): InboundListener {
  const { client, mesh } = surroundings;
  const mode = mtlsModeOf(client);
  const redirected = ports.filter(({ bound }) => !bound);
  return {
    name: "virtualInbound",
    bind: client.wildcard,
    port: mesh.inboundPort,
    bound: false,
    chains: [
      blackHoleChains(surroundings, writer),
      passthroughChains(mode, surroundings, writer),
      ...redirected.map((port) => portChains(port, mode, surroundings, writer)),
    ],
    owners: redirected.map(({ owner }) => owner),
  };
}

function boundListener(port: InboundPort, surroundings: InboundSurroundings, writer: ProtoWriter): InboundListener {
  const { bind, number, owner } = port;
  const chains = [portChains(port, mtlsModeOf(surroundings.client), surroundings, writer)];
  return { name: listenerName(bind, number), bind, port: number, bound: true, chains, owners: [owner] };
}

/** Who has no certificates can end no TLS. */
function mtlsModeOf({ certificates }: InboundClient): MtlsMode {
  return certificates.type === "none" ? "disable" : "permissive";
}
