import type { HashKey } from "../../../model/traffic/destination-rule.ts";

/** Hash policies of a request. A key without a name has none, because Envoy would reject it. */
export function hashPoliciesOf(key: HashKey | undefined) {
  if (key === undefined || (key.type !== "source-ip" && key.name === "")) return [];
  return [{ policySpecifier: specifierOf(key) }];
}

function specifierOf(key: HashKey) {
  if (key.type === "source-ip") return { case: "connectionProperties", value: { sourceIp: true } } as const;
  if (key.type === "header") return { case: "header", value: { headerName: key.name } } as const;
  if (key.type === "query-parameter") return { case: "queryParameter", value: { name: key.name } } as const;
  const { name, path, ttl, attributes } = key;
  return { case: "cookie", value: { name, path, ttl, attributes } } as const;
}
