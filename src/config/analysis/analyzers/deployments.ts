import type { PodSpec } from "#gen/k8s/core/v1/pod_pb.js";
import type { ServicePort, ServiceSpec } from "#gen/k8s/core/v1/service_pb.js";
import type { Config } from "../../config.ts";
import { deployment, namespace, pod, service } from "../../kinds/kubernetes.ts";
import type { AnalysisContext, Analyzer } from "../analyzer.ts";
import { LabelIndex } from "../facts/label-index.ts";
import { listed, listedTexts } from "../facts/listed-names.ts";
import { hasSidecar, isControlPlane, proxyContainer } from "../facts/sidecar-injection.ts";
import { messages } from "../messages.ts";

export const serviceAssociationAnalyzer: Analyzer = {
  name: "deployment.ServiceAssociationAnalyzer",
  description: "Services that share a deployment and disagree about its ports",
  inputs: [service, deployment, namespace],
  analyze(context) {
    for (const [configs, claims] of claimsByDeployments(context)) {
      const problems = problemsOf(claims);
      for (const config of configs) {
        const about = { config, path: "metadata.name" };
        for (const parameters of problems.protocols) context.report(messages.multipleServices, about, parameters);
        for (const parameters of problems.ports) context.report(messages.conflictingPorts, about, parameters);
      }
    }
  },
};

/** Largest number of conflicting ports reported per deployment. */
const maxReported = 20;

function problemsOf(claims: readonly Claim[]) {
  const protocols = [...Map.groupBy(claims, (claim) => claim.port.port)].flatMap(([port, same]) => {
    if (new Set(same.map((claim) => claim.port.protocol || "TCP")).size < 2) return [];
    return [{ port, services: listed(same.map((each) => each.by)) }];
  });
  const ports = [...Map.groupBy(claims, (claim) => targetOf(claim.port))].flatMap(([target, same]) => {
    const different = [...new Set(same.map((claim) => claim.port.port))].toSorted((a, b) => a - b);
    if (different.length < 2) return [];
    return [{ target, ports: listedTexts(different), services: listed(same.map((each) => each.by)) }];
  });
  return { protocols: protocols.slice(0, maxReported), ports: ports.slice(0, maxReported) };
}

/** A service port that routes to a deployment. */
interface Claim {
  readonly by: Config<ServiceSpec>;
  readonly port: ServicePort;
}

/**
 * Groups deployments that the same services select. An empty selector selects nothing: the endpoints of such a service
 * are listed elsewhere.
 */
function claimsByDeployments(context: AnalysisContext): readonly (readonly [readonly Config[], readonly Claim[]])[] {
  const index = new LabelIndex(templatesInMesh(context));
  const selective = context.all(service).filter(({ spec }) => Object.keys(spec.selector).length > 0);
  const bySelected = Map.groupBy(selective, ({ namespace: own, spec }) => index.select(spec.selector, own));
  const groups = [...bySelected.values()];
  const selecting = new Map<Config, number[]>();
  for (const [group, selected] of [...bySelected.keys()].entries()) {
    for (const { config } of selected) {
      const known = selecting.get(config);
      if (known === undefined) selecting.set(config, [group]);
      else known.push(group);
    }
  }
  return [...Map.groupBy(selecting, ([, all]) => all.join()).values()].map((same) => {
    const services = (same[0]?.[1] ?? []).flatMap((group) => groups[group] ?? []);
    const claims = services.flatMap((by) => by.spec.ports.map((port) => ({ by, port })));
    return [same.map(([config]) => config), claims];
  });
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

/** Istio creates and owns waypoints. */
function isWaypoint({ labels }: Config): boolean {
  return labels["gateway.istio.io/managed"] === "istio.io-mesh-controller";
}

/** The user of sidecars. Traffic of this user is not redirected. */
const sidecarUser = 1337n;

export const applicationUidAnalyzer: Analyzer = {
  name: "deployment.ApplicationUIDAnalyzer",
  description: "Containers of applications that run as the user of the sidecar",
  inputs: [pod, deployment],
  analyze(context) {
    const specs = [
      ...context.all(pod).map((config) => ({ config, spec: config.spec.spec, path: "spec" })),
      ...context.all(deployment).map((config) => {
        return { config, spec: config.spec.spec?.template?.spec, path: "spec.template.spec" };
      }),
    ];
    for (const { config, spec, path } of specs) {
      if (isControlPlane(config) || spec === undefined) continue;
      const place = placeOfUser(spec, path);
      if (place !== undefined) context.report(messages.invalidApplicationUid, { config, path: place });
    }
  },
};

function placeOfUser({ securityContext, containers }: PodSpec, path: string): string | undefined {
  if (securityContext?.runAsUser === sidecarUser) return `${path}.securityContext.runAsUser`;
  const index = containers.findIndex(
    ({ name, securityContext: own }) => name !== proxyContainer && own?.runAsUser === sidecarUser,
  );
  return index === -1 ? undefined : `${path}.containers[${index}].securityContext.runAsUser`;
}
