import type { TargetSelector } from "#gen/istio/authentication/v1alpha1/policy_pb.js";
import type { ServicePort } from "#gen/k8s/core/v1/service_pb.js";
import { service } from "../../../kinds/kubernetes.ts";
import { policy } from "../../../kinds/legacy/authentication-policy.ts";
import type { Analyzer } from "../../analyzer.ts";
import { messages } from "../../messages.ts";

export const jwt: Analyzer = {
  name: "auth.JwtAnalyzer",
  description: "Authentication by tokens on ports that do not speak HTTP",
  inputs: [policy, service],
  analyze(context) {
    const services = new Map(context.all(service).map((config) => [`${config.namespace}/${config.name}`, config.spec]));
    for (const config of context.all(policy)) {
      if (!config.spec.origins.some((origin) => origin.jwt !== undefined)) continue;
      for (const [index, target] of config.spec.targets.entries()) {
        const ports = services.get(`${config.namespace}/${target.name}`)?.ports ?? [];
        for (const port of ports.filter((each) => isMeant(target, each) && !isHttp(each))) {
          const about = { config, path: `spec.targets[${index}]` };
          const parameters = { service: target.name, port: port.port, name: port.name || "without a name" };
          context.report(messages.jwtWithoutHttp, about, parameters);
        }
      }
    }
  },
};

/** A target without ports applies to all ports. */
function isMeant({ ports }: TargetSelector, { name, port }: ServicePort): boolean {
  return ports.length === 0 || ports.some(({ port: wanted }) => wanted.value === name || wanted.value === port);
}

function isHttp({ name, protocol }: ServicePort): boolean {
  return (protocol === "" || protocol === "TCP") && /^(?:http|http2|https)(?:-|$)/u.test(name);
}
