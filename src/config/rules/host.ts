import { error, errorUnless, type Finding } from "../finding.ts";
import { isIpAddress } from "../grammar/address.ts";
import { isDnsLabel, isWildcardDomain } from "../grammar/names.ts";

const hint = 'a host is a DNS name; its first label may be "*"';

/** A DNS name whose first label may be a wildcard, but not the wildcard of everything. */
export function hostname(host: string, path: string): readonly Finding[] {
  if (host === "") return [error(path, { code: "missing-host", message: "a host is missing" })];
  if (host === "*") return [error(path, { code: "bad-host", message: 'the host "*" would stand for everything here' })];
  return errorUnless(isWildcardDomain(host), path, { code: "bad-host", message: `"${host}" is not a host`, hint });
}

/** As {@link hostname}, but addresses and `*` are fine too. */
export function hostOrAddress(host: string, path: string): readonly Finding[] {
  return host === "*" || isIpAddress(host) ? [] : hostname(host, path);
}

/** `outbound_.80_.subset_.host`: what sidecars ask for where gateways pass the mesh's own TLS on. */
export function isMeshSni(host: string): boolean {
  return /^outbound_\.\d+_\.[^.]*_\.[A-Za-z]/u.test(host);
}

/** What a scoped host may be: which namespaces it may name beside real ones, and whether addresses are fine. */
export interface ScopedHostRule {
  readonly namespaces: readonly string[];
  readonly namespaceRequired: boolean;
  readonly addresses: boolean;
}

/** `namespace/host`, as gateways and sidecars write it. Short names are not allowed: nobody could complete them. */
export function scopedHost(text: string, path: string, rule: ScopedHostRule): readonly Finding[] {
  const parts = text.split("/");
  const host = parts.at(-1) ?? "";
  const namespace = parts.length > 1 ? parts.slice(0, -1).join("/") : undefined;
  return [...hostNamespace(text, namespace, { path, rule }), ...fullHost(host, path, rule)];
}

function hostNamespace(
  text: string,
  namespace: string | undefined,
  { path, rule }: { readonly path: string; readonly rule: ScopedHostRule },
): readonly Finding[] {
  if (namespace === undefined) {
    return errorUnless(!rule.namespaceRequired, path, {
      code: "bad-host",
      message: `"${text}" names no namespace`,
      hint: `write namespace/host, or */${text} for all namespaces`,
    });
  }
  return errorUnless(rule.namespaces.includes(namespace) || isDnsLabel(namespace), path, {
    code: "bad-host",
    message: `"${namespace}" cannot stand before the slash`,
    hint: `name a namespace, or one of ${rule.namespaces.join(" ")}`,
  });
}

function fullHost(host: string, path: string, rule: ScopedHostRule): readonly Finding[] {
  if (host === "*" || (rule.addresses && isIpAddress(host))) return [];
  const findings = hostname(host, path);
  if (findings.length > 0 || host.includes(".")) return findings;
  return [error(path, { code: "bad-host", message: `"${host}" is a short name`, hint: "write the full name" })];
}
