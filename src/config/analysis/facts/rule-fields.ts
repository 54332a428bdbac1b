import type { Rule } from "#gen/istio/security/v1beta1/authorization_policy_pb.js";

/** Fields of a rule that need something of the request. */
interface RequestFields {
  readonly source: readonly ("requestPrincipals" | "notRequestPrincipals")[];
  readonly operation: readonly ("hosts" | "notHosts" | "methods" | "notMethods" | "paths" | "notPaths")[];
  /** The beginning of the keys of conditions. */
  readonly condition: string;
}

export const readsTokens: RequestFields = {
  source: ["requestPrincipals", "notRequestPrincipals"],
  operation: [],
  condition: "request.auth.",
};

/** A connection of TCP has none of these. */
export const readsHttp: RequestFields = {
  ...readsTokens,
  operation: ["hosts", "notHosts", "methods", "notMethods", "paths", "notPaths"],
  condition: "request.",
};

/** Whether the rule sets one of the fields. */
export function ruleSays(
  { from, to, when }: Rule,
  { source: ofSource, operation: ofOperation, condition }: RequestFields,
) {
  return (
    from.some(({ source }) => ofSource.some((field) => (source?.[field].length ?? 0) > 0)) ||
    to.some(({ operation }) => ofOperation.some((field) => (operation?.[field].length ?? 0) > 0)) ||
    when.some(({ key }) => key.startsWith(condition))
  );
}
