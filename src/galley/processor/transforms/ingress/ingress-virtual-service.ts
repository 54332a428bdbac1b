import type { VirtualService } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import type { HTTPIngressPath, IngressSpec } from "#gen/k8s/networking/v1/ingress_pb.js";
import { type Config, configKey } from "../../../../config/config.ts";
import { isWildcardDomain } from "../../../../config/grammar/names.ts";
import { ingressNamespace } from "../../../../config/mesh/ingress-gateway.ts";
import { compareTexts } from "../../../../lib/compare.ts";
import { ownValue } from "../../../../lib/own-value.ts";
import { virtualServiceConfig } from "./generated-config.ts";
import { virtualServiceName } from "./host-names.ts";
import { gatewayName, hasCertificates } from "./ingress-gateway-config.ts";
import { type HttpRouteInit, routeTo, typedMatch } from "./path-match.ts";

/** One Ingress rule with paths. */
export interface IngressRule {
  readonly ingress: Config<IngressSpec>;
  readonly index: number;
  /** `*` if the rule names no host. */
  readonly host: string;
  readonly paths: readonly HTTPIngressPath[];
}

export interface ServicePorts {
  /** The key of the service. */
  readonly service: string;
  readonly numbers: Readonly<Record<string, number>>;
}

interface Context {
  /** The key of the VirtualService to make. */
  readonly key: string;
  readonly host: string;
  readonly domain: string;
  readonly ports: { get(service: string): ServicePorts | undefined };
}

/** Makes prefix matches compare whole path segments: `/foo` does not match `/foobar`. */
const ingressSemantics = { "internal.istio.io/route-semantics": "ingress" };

/**
 * The usable rules of an Ingress. Rules without paths are skipped. Rules with an invalid host are skipped too, because
 * a gateway that rejects one host would reject all others with it. The default backend is skipped, because it would
 * capture all requests of other Ingresses.
 */
export function rulesOf(ingress: Config<IngressSpec>): readonly IngressRule[] {
  return ingress.spec.rules.flatMap(({ host, ingressRuleValue }, index) => {
    const paths = ingressRuleValue?.http?.paths;
    const valid = host === "" || isWildcardDomain(host);
    return paths === undefined || !valid ? [] : [{ ingress, index, host: host || "*", paths }];
  });
}

export function keyOfRule({ ingress, index }: IngressRule): string {
  return `${configKey(ingress)}/${index}`;
}

/** `namespace/name` of the VirtualService for these rules of one host. The oldest Ingress determines both. */
export function keyOfVirtualService(rules: readonly IngressRule[], host: string): string {
  const oldest = rules.toSorted(compareRules)[0]?.ingress;
  return `${oldest?.namespace}/${virtualServiceName(host, oldest?.name ?? "")}`;
}

/** The VirtualService of a host, with the routes of all rules for the host. Undefined if no route is left. */
export function virtualServiceOfRules(
  unsorted: readonly IngressRule[],
  { key, host, domain, ports }: Context,
): readonly Config<VirtualService>[] {
  const rules = unsorted.toSorted(compareRules);
  const routes = rules.flatMap(({ ingress, paths }) =>
    paths.flatMap((path) => routesOf(path, ingress.namespace, { domain, ports })),
  );
  const ingress = rules[0]?.ingress;
  if (ingress === undefined || routes.length === 0) return [];
  const name = key.slice(key.indexOf("/") + 1);
  const metadata = { ingress, namespace: ingress.namespace, name, labels: {}, annotations: ingressSemantics };
  const http = routes.toSorted(compareRoutes);
  return [virtualServiceConfig(metadata, { hosts: [host], gateways: gatewaysOf(ingress, rules), http })];
}

/**
 * The gateway of the oldest Ingress, and the gateways of others that have certificates. All Ingresses share port 80.
 * But each certificate has its own server, which would otherwise not know the host.
 */
function gatewaysOf(oldest: Config<IngressSpec>, rules: readonly IngressRule[]): string[] {
  const ingresses = rules.map(({ ingress }) => ingress).filter((each) => each === oldest || hasCertificates(each));
  return [...new Set(ingresses.map((each) => `${ingressNamespace}/${gatewayName(each)}`))];
}

function routesOf(
  { path, pathType, backend }: HTTPIngressPath,
  namespace: string,
  { domain, ports }: Pick<Context, "domain" | "ports">,
): readonly HttpRouteInit[] {
  const service = backend?.service;
  if (service === undefined) return [];
  const { number = 0, name = "" } = service.port ?? {};
  const { numbers = {} } = ports.get(configKey({ namespace, name: service.name })) ?? {};
  const port = number > 0 ? number : ownValue(numbers, name);
  if (port === undefined) return [];
  const uri = typedMatch(path, pathType);
  return [routeTo(`${service.name}.${namespace}.svc.${domain}`, port, uri === undefined ? [] : [{ uri }])];
}

function compareRules(a: IngressRule, b: IngressRule): number {
  return (
    a.ingress.createdAt - b.ingress.createdAt ||
    compareTexts(a.ingress.name, b.ingress.name) ||
    compareTexts(a.ingress.namespace, b.ingress.namespace) ||
    a.index - b.index
  );
}

/** Longest path first. An exact path comes before a prefix of the same length. */
function compareRoutes(a: HttpRouteInit, b: HttpRouteInit): number {
  const [one, other] = [pathOf(a), pathOf(b)];
  return other.length - one.length || Number(other.exact) - Number(one.exact);
}

function pathOf({ match }: HttpRouteInit): { readonly length: number; readonly exact: boolean } {
  const uri = match?.[0]?.uri?.matchType;
  return { length: uri?.value?.length ?? 0, exact: uri?.case === "exact" };
}
