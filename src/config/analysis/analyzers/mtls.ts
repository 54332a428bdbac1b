import { MutualTls_Mode, type Policy, type TargetSelector } from "#gen/istio/authentication/v1alpha1/policy_pb.js";
import {
  type ClientTLSSettings,
  type DestinationRule,
  ClientTLSSettings_TLSmode as TlsMode,
} from "#gen/istio/networking/v1alpha3/destination_rule_pb.js";
import type { Pod } from "#gen/k8s/core/v1/pod_pb.js";
import type { ServicePort, ServiceSpec } from "#gen/k8s/core/v1/service_pb.js";
import type { Config } from "../../config.ts";
import { compareHostnames, fullHostname, hostnameCovers } from "../../grammar/hostname.ts";
import { destinationRule } from "../../kinds/destination-rule.ts";
import { namespace, pod, service } from "../../kinds/kubernetes.ts";
import { meshPolicy, policy } from "../../kinds/legacy/authentication-policy.ts";
import { meshConfig } from "../../kinds/mesh-config.ts";
import { selects } from "../../selector.ts";
import type { AnalysisContext, AnalysisInput, Analyzer } from "../analyzer.ts";
import { currentMeshConfig } from "../facts/current-mesh-config.ts";
import { everywhere, exportScopes } from "../facts/export-scope.ts";
import { hasSidecar, isControlPlane, isSystemNamespace } from "../facts/sidecar-injection.ts";
import { messages } from "../messages.ts";

export const mtlsAnalyzer: Analyzer = {
  name: "auth.MTLSAnalyzer",
  description: "Services and clients that disagree about mutual TLS in meshes without auto mTLS",
  inputs: [pod, namespace, service, meshPolicy, policy, meshConfig, destinationRule],
  needs: [pod, service],
  analyze(context) {
    reportUnknownPorts(context);
    const { enableAutoMtls, rootNamespace } = currentMeshConfig(context);
    if (enableAutoMtls !== false) return;
    const members = context.all(pod).filter((each) => isMember(each, context));
    const clients = [...new Set(members.map((each) => each.namespace))];
    for (const config of context.all(service).filter(isUsers)) {
      const { selector } = config.spec;
      const isServed = members.some((each) => each.namespace === config.namespace && selects(selector, each.labels));
      for (const port of config.spec.ports) {
        for (const from of clients) checkCall({ config, port, from, isServed, rootNamespace }, context);
      }
    }
  },
};

/** Skips objects of the platform and the control plane, which manage themselves. */
function isUsers(config: Config): boolean {
  return !isSystemNamespace(config.namespace) && !isControlPlane(config);
}

function isMember(config: Config<Pod>, context: AnalysisContext): boolean {
  return isUsers(config) && hasSidecar({ ...config, spec: config.spec.spec }, context);
}

interface Call {
  readonly config: Config<ServiceSpec>;
  readonly port: ServicePort;
  /** The namespace of the client. */
  readonly from: string;
  /** Whether some workload of the service has a sidecar. */
  readonly isServed: boolean;
  readonly rootNamespace: string;
}

/** Reports on both objects, so that a reader of either one sees the other. */
function checkCall({ config, port, from, isServed, rootNamespace }: Call, context: AnalysisContext): void {
  const host = fullHostname(config.name, config.namespace, context.domain);
  const called = { hostname: host, namespace: config.namespace, port: port.port };
  const client = clientModeOf(from, called, context, rootNamespace);
  if (!isServed) {
    if (!client.mutual || client.by === undefined) return;
    context.report(messages.mtlsWithoutSidecar, { config: client.by, path: "spec.trafficPolicy" }, { host });
    return;
  }
  const server = serverModeOf(config, port, context);
  const agree = server.mode === "permissive" || (server.mode === "strict") === client.mutual;
  if (agree) return;
  // A mesh that requires mutual TLS without a rule for it is one mistake, not one per service.
  const isGlobal = server.by?.kind === meshPolicy.kind && client.by === undefined;
  const parameters = {
    host: isGlobal ? "every service" : host,
    server: server.mode,
    client: client.mutual ? "mutual TLS" : "none",
  };
  for (const side of [server.by, client.by]) {
    if (side !== undefined) context.report(messages.mtlsConflict, { config: side, path: "metadata.name" }, parameters);
  }
}

function reportUnknownPorts(context: AnalysisContext): void {
  for (const config of context.all(policy)) {
    for (const [index, target] of config.spec.targets.entries()) {
      const ports = context.find(service, `${config.namespace}/${target.name}`)?.spec.ports;
      for (const [at, wanted] of target.ports.entries()) {
        if (ports === undefined || wanted.port.case !== "name") continue;
        if (ports.some((port) => hasPort({ ...target, ports: [wanted] }, port))) continue;
        const about = { config, path: `spec.targets[${index}].ports[${at}].name` };
        context.report(messages.unknownPolicyPort, about, { port: wanted.port.value, service: target.name });
      }
    }
  }
}

/** Whether clients use mutual TLS, and the rule that decides it. */
interface ClientMode {
  readonly mutual: boolean;
  readonly by: Config<DestinationRule> | undefined;
}

interface Called {
  readonly hostname: string;
  readonly namespace: string;
  readonly port: number;
}

/** Rules of the client's namespace come first, then rules of the service's namespace, then rules of the mesh. */
function clientModeOf(from: string, called: Called, input: AnalysisInput, root: string): ClientMode {
  const seen = [from, called.namespace, root].map((namespace) => {
    const rules = input.all(destinationRule).filter((rule) => rule.namespace === namespace && isVisible(rule, from));
    return rules.filter((rule) => hostnameCovers(hostOf(rule, input), called.hostname));
  });
  const rules = seen.find((each) => each.length > 0) ?? [];
  const [by] = rules.toSorted((a, b) => compareHostnames(hostOf(a, input), hostOf(b, input)));
  const policy = by?.spec.trafficPolicy;
  const ofPort = policy?.portLevelSettings.find(({ port }) => port?.number === called.port)?.tls;
  return { mutual: isMutual(ofPort ?? policy?.tls), by };
}

function isVisible({ namespace, spec }: Config<DestinationRule>, from: string): boolean {
  const scopes = exportScopes(spec.exportTo, namespace);
  return scopes.includes(everywhere) || scopes.includes(from);
}

function hostOf({ namespace, spec }: Config<DestinationRule>, { domain }: AnalysisInput): string {
  return fullHostname(spec.host, namespace, domain);
}

function isMutual(tls: ClientTLSSettings | undefined): boolean {
  return tls?.mode === TlsMode.MUTUAL || tls?.mode === TlsMode.ISTIO_MUTUAL;
}

/** The mTLS mode that a service port accepts, and the policy that sets it. */
interface ServerMode {
  readonly mode: "strict" | "permissive" | "plaintext";
  readonly by: Config<Policy> | undefined;
}

/** A policy for the port wins over one for the service, then the namespace, then the mesh. */
function serverModeOf(service: Config<ServiceSpec>, port: ServicePort, input: AnalysisInput): ServerMode {
  const local = input.all(policy).filter(({ namespace }) => namespace === service.namespace);
  const targets = (target: TargetSelector) => target.name === service.name;
  const by =
    local.find(({ spec }) => spec.targets.some((target) => targets(target) && hasPort(target, port))) ??
    local.find(({ spec }) => spec.targets.some((target) => targets(target) && target.ports.length === 0)) ??
    local.find(({ spec }) => spec.targets.length === 0) ??
    input.all(meshPolicy)[0];
  return { mode: by === undefined ? "plaintext" : modeOf(by.spec), by };
}

function hasPort({ ports }: TargetSelector, { name, port }: ServicePort): boolean {
  return ports.some(({ port: wanted }) => wanted.value === name || wanted.value === port);
}

function modeOf({ peers, peerIsOptional }: Policy): ServerMode["mode"] {
  const [mutual] = peers.flatMap(({ params }) => (params.case === "mtls" ? [params.value] : []));
  if (mutual === undefined) return "plaintext";
  return peerIsOptional || mutual.mode === MutualTls_Mode.PERMISSIVE ? "permissive" : "strict";
}
