import { clone, isMessage, type Message } from "@bufbuild/protobuf";
import { DestinationRuleSchema } from "#gen/istio/networking/v1alpha3/destination_rule_pb.js";
import { type VirtualService, VirtualServiceSchema } from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import { mirrorDestinations, routeDestinations } from "./analysis/facts/destinations.ts";
import type { Config } from "./config.ts";
import { contentVersion } from "./content-version.ts";
import { fullHostname } from "./grammar/hostname.ts";
import { destinationRule } from "./kinds/destination-rule.ts";
import { virtualService } from "./kinds/virtual-service.ts";

/**
 * Returns the object with full hostnames, for readers that take hosts literally. A changed object has its own version.
 * An object without short hosts is returned unchanged. Only VirtualServices and DestinationRules may have short hosts.
 */
export function withFullHosts(config: Config, domain: string): Config {
  const full = (host: string) => fullHostname(host, config.namespace, domain);
  const isShort = (host: string) => full(host) !== host;
  const { spec } = config;
  if (isMessage(spec, VirtualServiceSchema)) {
    if (![...spec.hosts, ...destinationsOf(spec).map(({ host }) => host)].some(isShort)) return config;
    const copy = clone(VirtualServiceSchema, spec);
    copy.hosts = copy.hosts.map(full);
    for (const destination of destinationsOf(copy)) destination.host = full(destination.host);
    return another({ ...config, spec: copy }, virtualService);
  }
  if (isMessage(spec, DestinationRuleSchema) && isShort(spec.host)) {
    const copy = clone(DestinationRuleSchema, spec);
    copy.host = full(spec.host);
    return another({ ...config, spec: copy }, destinationRule);
  }
  return config;
}

function destinationsOf(spec: VirtualService) {
  return [...routeDestinations(spec), ...mirrorDestinations(spec)].map(({ destination }) => destination);
}

function another(config: Config<Message>, { schema }: typeof virtualService | typeof destinationRule): Config {
  return { ...config, version: contentVersion(config, schema) };
}
