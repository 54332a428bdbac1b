import { error, errorUnless, type Finding } from "../finding.ts";
import { isIpAddress } from "../grammar/address.ts";
import { isDnsLabel, isWildcardDomain } from "../grammar/names.ts";

const hint = 'a host is a DNS name; its first label may be "*"';

/** A DNS name whose first label may be a wildcard. `*` alone is not allowed. */
export function hostname(host: string, path: string): readonly Finding[] {
  if (host === "") return [error(path, { code: "missing-host", message: "a host is missing" })];
  if (host === "*")
    return [
      error(path, { code: "bad-host", message: 'the host "*" is not allowed here, because it matches everything' }),
    ];
  return errorUnless(isWildcardDomain(host), path, { code: "bad-host", message: `"${host}" is not a host`, hint });
}

/** Like {@link hostname}, but addresses and `*` are allowed. */
export function hostOrAddress(host: string, path: string): readonly Finding[] {
  return host === "*" || isIpAddress(host) ? [] : hostname(host, path);
}

/** `outbound_.80_.subset_.host`: the SNI of sidecars when gateways pass mesh mTLS through. */
export function isMeshSni(host: string): boolean {
  return /^outbound_\.\d+_\.[^.]*_\.[A-Za-z]/u.test(host);
}

/** Rules for a scoped host: the special namespaces that it may name, and whether addresses are allowed. */
export interface ScopedHostRule {
  readonly namespaces: readonly string[];
  readonly namespaceRequired: boolean;
  readonly addresses: boolean;
}

/** `namespace/host`, as in gateways and sidecars. Short names are not allowed, because they cannot be completed. */
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
    message: `"${namespace}" is not allowed before the slash`,
    hint: `name a namespace, or one of ${rule.namespaces.join(" ")}`,
  });
}

function fullHost(host: string, path: string, rule: ScopedHostRule): readonly Finding[] {
  if (host === "*" || (rule.addresses && isIpAddress(host))) return [];
  const findings = hostname(host, path);
  if (findings.length > 0 || host.includes(".")) return findings;
  return [error(path, { code: "bad-host", message: `"${host}" is a short name`, hint: "write the full name" })];
}
