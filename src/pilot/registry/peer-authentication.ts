import type { PeerAuthentication as IstioPeerAuthentication } from "#gen/istio/security/v1beta1/peer_authentication_pb.js";
import { PeerAuthentication_MutualTLS_Mode as Mode } from "#gen/istio/security/v1beta1/peer_authentication_pb.js";
import type { Config } from "../../config/config.ts";
import { configId } from "../../config/config.ts";
import { isConverted } from "../../config/converted.ts";
import { substituteMark } from "../../config/parse/substitute.ts";
import { ownValue } from "../../lib/own-value.ts";
import type { AskedMtlsMode, PeerAuthentication } from "../model/mtls/peer-authentication.ts";
import { selectorOf } from "./policy/workload-policy.ts";

const modes: Readonly<Record<Mode, AskedMtlsMode>> = {
  [Mode.UNSET]: "unset",
  [Mode.DISABLE]: "disable",
  [Mode.PERMISSIVE]: "permissive",
  [Mode.STRICT]: "strict",
};

export function peerAuthenticationOf(config: Config<IstioPeerAuthentication>): PeerAuthentication {
  const { name, namespace, createdAt, spec } = config;
  const ports = Object.entries(spec.portLevelMtls);
  const selector = selectorOf(spec.selector?.matchLabels ?? {});
  return {
    name,
    namespace,
    createdAt,
    owner: configId("PeerAuthentication", namespace, name),
    selector,
    mode: modes[spec.mtls?.mode ?? Mode.UNSET],
    ports: new Map(ports.map(([port, { mode }]) => [Number(port), modes[mode]])),
    prevails: selector === undefined && ownValue(config.annotations, substituteMark) === "true",
    converted: isConverted(config),
  };
}
