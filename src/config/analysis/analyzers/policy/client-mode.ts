import {
  type ClientTLSSettings,
  type DestinationRule,
  ClientTLSSettings_TLSmode as TlsMode,
} from "#gen/istio/networking/v1alpha3/destination_rule_pb.js";
import type { Config } from "../../../config.ts";
import { compareHostnames, fullHostname, hostnameCovers } from "../../../grammar/hostname.ts";
import { destinationRule } from "../../../kinds/destination-rule.ts";
import type { AnalysisInput } from "../../analyzer.ts";
import { everywhere, exportScopes } from "../../facts/export-scope.ts";

/** Whether clients use mutual TLS, and the rule that decides it. */
export interface ClientMode {
  readonly mutual: boolean;
  readonly by: Config<DestinationRule> | undefined;
}

export interface Called {
  readonly hostname: string;
  readonly namespace: string;
  readonly port: number;
}

/** Rules of the client's namespace come first, then rules of the service's namespace, then rules of the mesh. */
export function clientModeOf(from: string, called: Called, input: AnalysisInput, root: string): ClientMode {
  const seen = [from, called.namespace, root].map((namespace) => {
    const rules = input.all(destinationRule).filter((rule) => rule.namespace === namespace && isVisible(rule, from));
    return rules.filter((rule) => hostnameCovers(hostOf(rule, input), called.hostname));
  });
  const rules = seen.find((each) => each.length > 0) ?? [];
  const [by] = rules.toSorted((a, b) => compareHostnames(hostOf(a, input), hostOf(b, input)));
  const policy = by?.spec.trafficPolicy;
  const ofPort = policy?.portLevelSettings.find(({ port }) => port?.number === called.port)?.tls;
  return { mutual: isMutual(ofPort ?? policy?.tls), by };
}

function isVisible({ namespace, spec }: Config<DestinationRule>, from: string): boolean {
  const scopes = exportScopes(spec.exportTo, namespace);
  return scopes.includes(everywhere) || scopes.includes(from);
}

function hostOf({ namespace, spec }: Config<DestinationRule>, { domain }: AnalysisInput): string {
  return fullHostname(spec.host, namespace, domain);
}

function isMutual(tls: ClientTLSSettings | undefined): boolean {
  return tls?.mode === TlsMode.MUTUAL || tls?.mode === TlsMode.ISTIO_MUTUAL;
}
