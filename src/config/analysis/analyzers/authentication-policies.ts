import type { TargetSelector } from "#gen/istio/authentication/v1alpha1/policy_pb.js";
import type { ServicePort } from "#gen/k8s/core/v1/service_pb.js";
import { customResourceDefinition, deployment, service } from "../../kinds/kubernetes.ts";
import { meshPolicy, policy } from "../../kinds/legacy/authentication-policy.ts";
import { requestAuthentication } from "../../kinds/request-authentication.ts";
import type { Analyzer } from "../analyzer.ts";
import { listed } from "../facts/listed-names.ts";
import { messages } from "../messages.ts";

export const deprecatedPolicyAnalyzer: Analyzer = {
  name: "policy.DeprecatedAnalyzer",
  description: "Old authentication policies in clusters that have their replacements",
  inputs: [customResourceDefinition, policy, meshPolicy],
  analyze(context) {
    const definitions = context.all(customResourceDefinition);
    const isReplaced = definitions.some(
      ({ spec }) => spec.group === "security.istio.io" && spec.names?.kind === "PeerAuthentication",
    );
    const policies = context.all(policy);
    const meshPolicies = context.all(meshPolicy);
    if (!isReplaced) return;
    for (const config of policies) context.report(messages.policyDeprecated, { config, path: "metadata.name" });
    for (const config of meshPolicies) context.report(messages.meshPolicyDeprecated, { config, path: "metadata.name" });
  },
};

export const jwtAnalyzer: Analyzer = {
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

const variable = "BLOCKED_CIDRS_IN_JWKS_URIS";

export const blockedCidrAnalyzer: Analyzer = {
  name: "authn.BlockedCIDRsAnalyzer",
  description: "A control plane that fetches JWKS from any address",
  inputs: [requestAuthentication, deployment],
  analyze(context) {
    const requests = context.all(requestAuthentication);
    if (requests.length === 0) return;
    const objects = listed(requests);
    for (const config of context.all(deployment)) {
      if (config.labels["app"] !== "istiod") continue;
      const containers = config.spec.spec?.template?.spec?.containers ?? [];
      if (containers.some(({ env }) => env.some(({ name, value }) => name === variable && value !== ""))) continue;
      const about = { config, path: "spec.template.spec.containers" };
      context.report(messages.jwksUnrestricted, about, { count: requests.length, objects });
    }
  },
};
