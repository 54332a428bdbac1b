import { compareTexts } from "../../../lib/compare.ts";
import type { MeshSettings } from "../../model/mesh-settings.ts";
import type { Service } from "../../model/service/service.ts";
import type { ServicePeers } from "../../model/service/service-peers.ts";

const workloadId = /^spiffe:\/\/[^/]+\/(?<path>ns\/[^/]+\/sa\/[^/]+)$/u;

/**
 * SANs of a service's endpoints: identities of their service accounts, and names that the service lists. Each occurs in
 * every trust domain; sorted.
 */
export function peerNames(service: Service, peers: ServicePeers | undefined, mesh: MeshSettings): readonly string[] {
  const accounts = peers?.serviceAccounts ?? [];
  const own = accounts.map((account) => `spiffe://${mesh.trustDomain}/ns/${service.namespace}/sa/${account}`);
  const names = [...own, ...service.subjectAltNames].flatMap((name) => [name, ...aliasesOf(name, mesh)]);
  return [...new Set(names)].toSorted(compareTexts);
}

function aliasesOf(name: string, { trustDomainAliases }: MeshSettings): readonly string[] {
  const path = workloadId.exec(name)?.groups?.["path"];
  return path === undefined ? [] : trustDomainAliases.map((domain) => `spiffe://${domain}/${path}`);
}

/** A matcher of a SAN in the peer's certificate. */
export interface SanMatcher {
  readonly matchPattern: { readonly case: "exact" | "prefix"; readonly value: string };
}

export function exactNames(names: readonly string[]): readonly SanMatcher[] {
  return names.map((value) => ({ matchPattern: { case: "exact", value } }));
}
