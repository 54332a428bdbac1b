import type { Pod } from "#gen/k8s/core/v1/pod_pb.js";
import type { ServicePort, ServiceSpec } from "#gen/k8s/core/v1/service_pb.js";
import type { Config } from "../../../config.ts";
import { fullHostname } from "../../../grammar/hostname.ts";
import { destinationRule } from "../../../kinds/destination-rule.ts";
import { namespace, pod, service } from "../../../kinds/kubernetes.ts";
import { meshPolicy, policy } from "../../../kinds/legacy/authentication-policy.ts";
import { meshConfig } from "../../../kinds/mesh-config.ts";
import { selects } from "../../../selector.ts";
import type { AnalysisContext, Analyzer } from "../../analyzer.ts";
import { hasSidecar, isControlPlane, isSystemNamespace } from "../../facts/injection.ts";
import { meshSettings } from "../../facts/mesh-settings.ts";
import { messages } from "../../messages.ts";
import { clientModeOf } from "./client-mode.ts";
import { hasPort, serverModeOf } from "./server-mode.ts";

export const mtls: Analyzer = {
  name: "auth.MTLSAnalyzer",
  description: "Services and clients that do not agree on mutual TLS, where the mesh does not see to it by itself",
  inputs: [pod, namespace, service, meshPolicy, policy, meshConfig, destinationRule],
  needs: [pod, service],
  analyze(context) {
    reportUnknownPorts(context);
    const { enableAutoMtls, rootNamespace } = meshSettings(context);
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
