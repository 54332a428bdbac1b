import type { HashKey } from "../../model/destination-rule.ts";

/** What Envoy hashes of a request; none for a key without a name, which it would refuse. */
export function hashPoliciesOf(key: HashKey | undefined) {
  if (key === undefined || (key.type !== "source-ip" && key.name === "")) return [];
  return [{ policySpecifier: specifierOf(key) }];
}

function specifierOf(key: HashKey) {
  switch (key.type) {
    case "header":
      return { case: "header", value: { headerName: key.name } } as const;
    case "cookie":
      return {
        case: "cookie",
        value: { name: key.name, ttl: key.ttl, path: key.path, attributes: key.attributes },
      } as const;
    case "source-ip":
      return { case: "connectionProperties", value: { sourceIp: true } } as const;
    case "query-parameter":
      return { case: "queryParameter", value: { name: key.name } } as const;
  }
}
