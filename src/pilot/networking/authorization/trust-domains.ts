import type { AttributeMatch } from "../../model/policy/authorization-policy.ts";

/** In a principal it means the trust domain of the mesh, whatever that is. */
const localDomain = "cluster.local";

/**
 * Identities of the mesh's trust domain and of its aliases are the same. So a match of one of them becomes a match of
 * all of them. The first trust domain is the mesh's own.
 */
export function withAliases(match: AttributeMatch, trustDomains: readonly string[]): AttributeMatch {
  const { attribute, values, notValues } = match;
  if (attribute === "source.principal") {
    const expanded = (list: readonly string[]) => list.flatMap((principal) => principalsLike(principal, trustDomains));
    return { ...match, values: expanded(values), notValues: expanded(notValues) };
  }
  if (attribute === "source.trustDomain") {
    const expanded = (list: readonly string[]) => [...new Set(list.flatMap((of) => domainsLike(of, trustDomains)))];
    return { ...match, values: expanded(values), notValues: expanded(notValues) };
  }
  return match;
}

/** A principal with a trust domain is `domain/ns/namespace/sa/account`. All others match any trust domain already. */
function principalsLike(principal: string, trustDomains: readonly string[]): readonly string[] {
  const [domain = "", ...rest] = principal.split("/");
  if (rest.length !== 4 || domain === "*") return [principal];
  const isOurs = domain === localDomain || trustDomains.some((own) => overlaps(domain, own));
  if (!isOurs) return [principal];
  return [...new Set(trustDomains.map((own) => (endsLike(own, domain) ? principal : [own, ...rest].join("/"))))];
}

function domainsLike(domain: string, trustDomains: readonly string[]): readonly string[] {
  return trustDomains.includes(domain) ? trustDomains : [domain];
}

/** Either text may be a pattern. */
function overlaps(a: string, b: string): boolean {
  return a === b || b === "*" || beginsLike(a, b) || beginsLike(b, a) || endsLike(a, b) || endsLike(b, a);
}

function beginsLike(text: string, pattern: string): boolean {
  return pattern.endsWith("*") && text.startsWith(pattern.slice(0, -1));
}

function endsLike(text: string, pattern: string): boolean {
  return pattern.startsWith("*") && text.endsWith(pattern.slice(1));
}
