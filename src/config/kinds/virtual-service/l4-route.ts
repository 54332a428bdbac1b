import type {
  L4MatchAttributes,
  RouteDestination,
  TCPRoute,
  TLSMatchAttributes,
  TLSRoute,
} from "#gen/istio/networking/v1alpha3/virtual_service_pb.js";
import { fieldPath } from "../../field-path.ts";
import { error, errorUnless, type Finding } from "../../finding.ts";
import { isSubnet } from "../../grammar/address.ts";
import { weightedDestinations } from "../../rules/destination.ts";
import { gatewayReferences } from "../../rules/gateway-references.ts";
import { hostOrAddress, isMeshSni } from "../../rules/host.ts";
import { labelMap } from "../../rules/labels.ts";
import { optionalPortNumber } from "../../rules/port.ts";

export function tcpRoute(route: TCPRoute, path: string): readonly Finding[] {
  return [
    ...destinations(route.route, `${path}.route`),
    ...route.match.flatMap((match, index) => {
      const at = fieldPath(path, "match", index);
      const source = match.sourceSubnet === "" ? [] : subnet(match.sourceSubnet, `${at}.sourceSubnet`);
      return [...connectionMatch(match, at), ...source];
    }),
  ];
}

/** Whether a connection with this SNI can reach the VirtualService. Only its own hosts can. */
type Reaches = (sni: string) => boolean;

export function tlsRoute(route: TLSRoute, path: string, reaches: Reaches): readonly Finding[] {
  return [
    ...errorUnless(route.match.length > 0, path, { code: "missing-match", message: "a TLS rule needs a match" }),
    ...destinations(route.route, `${path}.route`),
    ...route.match.flatMap((match, index) => {
      const at = fieldPath(path, "match", index);
      return [...connectionMatch(match, at), ...sniHosts(match, at, reaches)];
    }),
  ];
}

function destinations(route: readonly RouteDestination[], path: string): readonly Finding[] {
  if (route.length > 0) return weightedDestinations(route, path);
  return [error(path, { code: "missing-destination", message: "a rule needs a destination" })];
}

function connectionMatch(match: L4MatchAttributes | TLSMatchAttributes, path: string): readonly Finding[] {
  return [
    ...match.destinationSubnets.flatMap((text, index) => subnet(text, fieldPath(path, "destinationSubnets", index))),
    ...optionalPortNumber(match.port, `${path}.port`),
    ...labelMap(match.sourceLabels, `${path}.sourceLabels`),
    ...gatewayReferences(match.gateways, `${path}.gateways`),
  ];
}

function sniHosts(match: TLSMatchAttributes, path: string, reaches: Reaches): readonly Finding[] {
  if (match.sniHosts.length === 0) {
    return [error(path, { code: "missing-host", message: "a TLS match needs sniHosts" })];
  }
  return match.sniHosts.flatMap((sni, index) => {
    const at = fieldPath(path, "sniHosts", index);
    const findings = isMeshSni(sni) ? [] : hostOrAddress(sni, at);
    if (findings.length > 0 || reaches(sni)) return findings;
    return error(at, { code: "foreign-host", message: `"${sni}" is not among the hosts of this VirtualService` });
  });
}

function subnet(text: string, path: string): readonly Finding[] {
  return errorUnless(isSubnet(text), path, {
    code: "bad-address",
    message: `"${text}" is neither an IP address nor a subnet such as 10.0.0.0/8`,
  });
}
