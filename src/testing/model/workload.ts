import { configId } from "../../config/config.ts";
import type { PeerAuthentication } from "../../pilot/model/mtls/peer-authentication.ts";
import type { Sidecar } from "../../pilot/model/scope/sidecar.ts";

export function fakeSidecar(changes: Partial<Sidecar> = {}): Sidecar {
  const { namespace = "shop", name = "default" } = changes;
  return {
    name,
    namespace,
    createdAt: 0,
    owner: configId("Sidecar", namespace, name),
    selector: undefined,
    egress: [],
    ingress: [],
    outboundPolicy: undefined,
    inboundConnectionPool: undefined,
    ...changes,
  };
}

export function fakePeerAuthentication(changes: Partial<PeerAuthentication> = {}): PeerAuthentication {
  const { namespace = "shop", name = "default" } = changes;
  return {
    name,
    namespace,
    createdAt: 0,
    owner: configId("PeerAuthentication", namespace, name),
    selector: undefined,
    mode: "strict",
    ports: new Map(),
    prevails: false,
    converted: false,
    ...changes,
  };
}
