import type { ServicePort, ServiceSpec } from "#gen/k8s/core/v1/service_pb.js";
import type { Config } from "../../../config.ts";
import { deployment, namespace, service } from "../../../kinds/kubernetes.ts";
import type { AnalysisContext, Analyzer } from "../../analyzer.ts";
import { hasSidecar } from "../../facts/injection.ts";
import { LabelIndex } from "../../facts/label-index.ts";
import { listed } from "../../facts/names.ts";
import { messages } from "../../messages.ts";

export const serviceAssociation: Analyzer = {
  name: "deployment.ServiceAssociationAnalyzer",
  description: "Services that share a deployment and disagree about its ports",
  inputs: [service, deployment, namespace],
  analyze(context) {
    for (const [config, claims] of claimsByDeployment(context)) {
      const about = { config, path: "metadata.name" };
      for (const [port, same] of Map.groupBy(claims, (claim) => claim.port.port)) {
        if (new Set(same.map((claim) => claim.port.protocol || "TCP")).size < 2) continue;
        context.report(messages.multipleServices, about, { port, services: listed(same.map((each) => each.by)) });
      }
      for (const [target, same] of Map.groupBy(claims, (claim) => targetOf(claim.port))) {
        const ports = [...new Set(same.map((claim) => claim.port.port))].toSorted((a, b) => a - b);
        if (ports.length < 2) continue;
        const services = listed(same.map((each) => each.by));
        context.report(messages.conflictingPorts, about, { target, ports: ports.join(", "), services });
      }
    }
  },
};

/** A port of a service that leads to a deployment. */
interface Claim {
  readonly by: Config<ServiceSpec>;
  readonly port: ServicePort;
}

/** An empty selector selects nothing: somebody else lists the endpoints of such a service. */
function claimsByDeployment(context: AnalysisContext): ReadonlyMap<Config, readonly Claim[]> {
  const claims = new Map<Config, readonly Claim[]>();
  const index = new LabelIndex(templatesInMesh(context));
  for (const by of context.all(service)) {
    if (Object.keys(by.spec.selector).length === 0) continue;
    for (const { config } of index.select(by.spec.selector, by.namespace)) {
      claims.set(config, [...(claims.get(config) ?? []), ...by.spec.ports.map((port) => ({ by, port }))]);
    }
  }
  return claims;
}

function templatesInMesh(context: AnalysisContext) {
  return context.all(deployment).flatMap((config) => {
    const template = config.spec.spec?.template;
    const { labels = {}, annotations = {} } = template?.metadata ?? {};
    const podLike = { namespace: config.namespace, labels, annotations, spec: template?.spec };
    return isWaypoint(config) || !hasSidecar(podLike, context) ? [] : [{ ...podLike, config }];
  });
}

function targetOf({ port, targetPort }: ServicePort): string {
  return targetPort?.strVal || String(targetPort?.intVal || port);
}

/** Istio makes and owns these. */
function isWaypoint({ labels }: Config): boolean {
  return labels["gateway.istio.io/managed"] === "istio.io-mesh-controller";
}
