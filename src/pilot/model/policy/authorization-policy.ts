import type { WorkloadPolicy } from "./workload-policy.ts";

/** The action of a policy on the requests that it matches. */
export type AuthorizationAction = "allow" | "deny" | "audit" | "custom";

/** A property of a request or connection that a rule can match. Most have the name of Istio's condition keys. */
export type Attribute =
  | "request.host"
  | "request.method"
  | "request.path"
  | "request.headers"
  | "request.auth.principal"
  | "request.auth.audiences"
  | "request.auth.presenter"
  | "request.auth.claims"
  | "source.principal"
  | "source.namespace"
  | "source.serviceAccount"
  | "source.trustDomain"
  | "source.ip"
  | "remote.ip"
  | "destination.ip"
  | "destination.port"
  | "connection.sni"
  | "envoy.filters";

/** The attribute has one of the values, and none of the other ones. An empty list of values is no condition. */
export interface AttributeMatch {
  readonly attribute: Attribute;
  /** The header, the path to a claim, or the filter and key of its metadata; empty for other attributes. */
  readonly key: readonly string[];
  readonly values: readonly string[];
  readonly notValues: readonly string[];
}

/** A request matches if it matches one source, one operation, and all conditions. An empty list is no condition. */
export interface AuthorizationRule {
  readonly sources: readonly (readonly AttributeMatch[])[];
  readonly operations: readonly (readonly AttributeMatch[])[];
  readonly conditions: readonly AttributeMatch[];
}

/** Which requests some workloads accept. */
export interface AuthorizationPolicy extends WorkloadPolicy {
  readonly action: AuthorizationAction;
  /** Proxies count the decisions and log them, and enforce nothing. */
  readonly dryRun: boolean;
  /** Whether it was made from a legacy object; see {@link withoutReplaced}. */
  readonly converted: boolean;
  /** The extension provider that decides; only for the action `custom`. */
  readonly provider: string | undefined;
  /** Without rules the policy matches nothing. */
  readonly rules: readonly AuthorizationRule[];
}

/**
 * The policies without those that policies of the user replace. Where an ALLOW policy that a user wrote is enforced,
 * converted ALLOW policies do not count. A policy in a dry run replaces nothing.
 */
export function withoutReplaced(policies: readonly AuthorizationPolicy[]): readonly AuthorizationPolicy[] {
  const isReplaced = policies.some(({ action, dryRun, converted }) => action === "allow" && !dryRun && !converted);
  return isReplaced ? policies.filter(({ action, converted }) => action !== "allow" || !converted) : policies;
}
