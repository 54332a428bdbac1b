import {
  CaptureMode as IstioCaptureMode,
  type IstioEgressListener,
  type IstioIngressListener,
  type Sidecar as IstioSidecar,
  type OutboundTrafficPolicy,
  OutboundTrafficPolicy_Mode,
  type SidecarPort,
} from "#gen/istio/networking/v1alpha3/sidecar_pb.js";
import type { Config } from "../../config/config.ts";
import { configId } from "../../config/config.ts";
import type {
  CaptureMode,
  EgressListener,
  HostImport,
  IngressListener,
  ListenerPort,
  OutboundPolicy,
  Sidecar,
} from "../model/scope/sidecar.ts";
import { connectionPoolOf } from "./destination-rule/traffic-policy.ts";
import { serverTlsOf } from "./gateway/server-tls.ts";
import { parseProtocol } from "./service/protocol.ts";
import { destinationOf } from "./virtual-service/destination.ts";

export function sidecarOf({ spec, ...config }: Config<IstioSidecar>, domain: string): Sidecar {
  const selector = spec.workloadSelector?.labels ?? {};
  const { outboundTrafficPolicy: policy, inboundConnectionPool: pool } = spec;
  return {
    name: config.name,
    namespace: config.namespace,
    createdAt: config.createdAt,
    owner: configId("Sidecar", config.namespace, config.name),
    selector: Object.keys(selector).length === 0 ? undefined : selector,
    egress: spec.egress.map(egressOf),
    ingress: spec.ingress.map(ingressOf),
    outboundPolicy: policy === undefined ? undefined : outboundPolicyOf(policy, config.namespace, domain),
    inboundConnectionPool: pool === undefined ? undefined : connectionPoolOf(pool),
  };
}

function egressOf({ port, bind, captureMode, hosts }: IstioEgressListener): EgressListener {
  return {
    port: port === undefined ? undefined : portOf(port),
    bind,
    captureMode: captureModes[captureMode],
    hosts: hosts.map(hostImportOf),
  };
}

/** `~namespace/host` and `~/host` exclude hosts; `~/*` alone imports nothing. */
function hostImportOf(text: string): HostImport {
  const excluded = text.startsWith("~");
  const [namespace = "", hostname = ""] = (excluded ? text.slice(1) : text).split("/");
  return { namespace: namespace === "" ? "*" : namespace, hostname, excluded };
}

function ingressOf(listener: IstioIngressListener): IngressListener {
  const { port, bind, captureMode, defaultEndpoint, connectionPool, tls } = listener;
  return {
    port: portOf(port),
    bind,
    captureMode: captureModes[captureMode],
    defaultEndpoint,
    connectionPool: connectionPool === undefined ? undefined : connectionPoolOf(connectionPool),
    tls: tls && serverTlsOf(tls),
  };
}

function portOf(port: SidecarPort | undefined): ListenerPort {
  return { number: port?.number ?? 0, name: port?.name ?? "", protocol: parseProtocol(port?.protocol ?? "") };
}

const captureModes: Readonly<Record<IstioCaptureMode, CaptureMode>> = {
  [IstioCaptureMode.DEFAULT]: "default",
  [IstioCaptureMode.IPTABLES]: "iptables",
  [IstioCaptureMode.NONE]: "none",
};

function outboundPolicyOf(policy: OutboundTrafficPolicy, namespace: string, domain: string): OutboundPolicy {
  const { mode, egressProxy } = policy;
  return {
    mode: mode === OutboundTrafficPolicy_Mode.REGISTRY_ONLY ? "registry-only" : "allow-any",
    egressProxy:
      egressProxy === undefined
        ? undefined
        : destinationOf({ destination: egressProxy, weight: 0 }, { namespace, domain }),
  };
}
