import type { VirtualService } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import type { HTTPIngressPath, IngressSpec } from "#gen/k8s/extensions/v1beta1/ingress_pb.js";
import type { Config } from "../../../../config/config.ts";
import { isWildcardDomain } from "../../../../config/grammar/names.ts";
import { ingressGateway, ingressNamespace } from "../../../../config/mesh/ingress-gateway.ts";
import { annotationsOf, virtualServiceConfig } from "./generated-config.ts";
import { virtualServiceName } from "./host-names.ts";
import { type HttpRouteInit, patternMatch, routeTo } from "./path-match.ts";

type Ingress = Config<IngressSpec>;

/** The rules that one Ingress adds to the VirtualService of one host. */
export interface IngressHostRules {
  readonly ingress: Ingress;
  /** `*` for rules without a host. */
  readonly host: string;
  readonly routes: readonly HttpRouteInit[];
}

const anyHost = "*";

/**
 * The hosts of an Ingress. Each host has the rules that name it and, in their order, the rules without a host. Invalid
 * hosts are skipped, because a gateway that rejects one host would reject all others with it.
 */
export function hostRulesOf(ingress: Ingress, domain: string): readonly IngressHostRules[] {
  const rules = ingress.spec.rules.flatMap(({ host, ingressRuleValue }) =>
    ingressRuleValue?.http === undefined ? [] : [{ host: host || anyHost, paths: ingressRuleValue.http.paths }],
  );
  const hosts = new Set(rules.map(({ host }) => host).filter(isWildcardDomain));
  return Array.from(hosts, (host) => ({
    ingress,
    host,
    routes: rules
      .filter((rule) => rule.host === host || rule.host === anyHost)
      .flatMap(({ paths }) => paths.flatMap((path) => routesOf(path, ingress.namespace, domain))),
  }));
}

/** Ports by number only: a named port gets no route. Galley's routes always had a match, even an empty one. */
function routesOf({ path, backend }: HTTPIngressPath, namespace: string, domain: string): readonly HttpRouteInit[] {
  const port = backend?.servicePort?.intVal ?? 0;
  if (backend === undefined || port === 0) return [];
  const uri = patternMatch(path);
  return [routeTo(`${backend.serviceName}.${namespace}.svc.${domain}`, port, [uri === undefined ? {} : { uri }])];
}

/** The name of a host's VirtualService. For any host (`*`) the name starts with a dash. */
export function nameOfHost([first]: readonly IngressHostRules[], host: string): string {
  return virtualServiceName(host === anyHost ? "" : host, first?.ingress.name ?? "");
}

/** The VirtualService of a host, with the routes of all Ingresses that name it. Undefined if no route is left. */
export function virtualServiceOfHost(
  host: string,
  contributions: readonly IngressHostRules[],
  name: string,
): readonly Config<VirtualService>[] {
  const routes = contributions.flatMap((each) => each.routes);
  const ingress = contributions[0]?.ingress;
  if (ingress === undefined || routes.length === 0) return [];
  const { labels } = ingress;
  const metadata = { ingress, namespace: ingressNamespace, name, labels, annotations: annotationsOf(ingress) };
  return [virtualServiceConfig(metadata, { hosts: [host], gateways: [ingressGateway], http: routes })];
}
