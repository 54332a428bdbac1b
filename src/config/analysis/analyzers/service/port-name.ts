import type { ServicePort } from "#gen/k8s/core/v1/service_pb.js";
import { service } from "../../../kinds/kubernetes.ts";
import { isKnownProtocol } from "../../../rules/port.ts";
import type { Analyzer } from "../../analyzer.ts";
import { isControlPlane, isSystemNamespace } from "../../facts/injection.ts";
import { messages } from "../../messages.ts";

export const portName: Analyzer = {
  name: "service.PortNameAnalyzer",
  description: "Ports of services that do not say which protocol they speak",
  inputs: [service],
  analyze(context) {
    for (const config of context.all(service)) {
      if (isSystemNamespace(config.namespace) || isControlPlane(config)) continue;
      const isExternal = config.spec.type === "ExternalName";
      for (const [index, port] of config.spec.ports.entries()) {
        const about = { config, path: `spec.ports[${index}]` };
        const says = saysProtocol(port);
        if (isExternal && (!says || port.name.toLowerCase() === "tcp")) {
          context.report(messages.externalNamePort, about, { port: port.port });
        } else if (!says) {
          context.report(messages.portNameConvention, about, { port: port.port, name: port.name || "without a name" });
        }
      }
    }
  },
};

/** Ports of server-first protocols, where protocol sniffing would hang. Istio treats them as TCP. */
const serverFirstPorts = new Set([25, 53, 3306, 27017]);

function saysProtocol({ name, protocol, appProtocol, port }: ServicePort): boolean {
  if (protocol === "UDP" || protocol === "SCTP") return true;
  if (appProtocol !== "") return appProtocol.startsWith("kubernetes.io/") || isKnownProtocol(appProtocol);
  const said = name.toLowerCase().startsWith("grpc-web") ? "grpc-web" : (name.split("-")[0] ?? "");
  return isKnownProtocol(said) || serverFirstPorts.has(port);
}
