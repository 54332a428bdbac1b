import type {
  LoadBalancerSettings,
  LoadBalancerSettings_ConsistentHashLB,
  WarmupConfiguration,
} from "#gen/istio/networking/v1alpha3/destination_rule_pb.js";
import { fieldPath } from "../../field-path.ts";
import { error, errorUnless, warning } from "../../finding.ts";
import type { Finding } from "../../kind.ts";
import { percentage, positiveDuration } from "../../rules/amount.ts";
import { someText } from "../../rules/text.ts";
import { unique } from "../../rules/unique.ts";
import { localitySetting } from "./locality.ts";

export function loadBalancer(settings: LoadBalancerSettings | undefined, path: string): readonly Finding[] {
  if (settings === undefined) return [];
  const { lbPolicy, localityLbSetting, warmup, warmupDurationSecs } = settings;
  const hash = lbPolicy.case === "consistentHash" ? lbPolicy.value : undefined;
  return [
    ...(hash === undefined ? [] : consistentHash(hash, `${path}.consistentHash`)),
    ...(lbPolicy.case === "backendUtilization" ? [unweighted(`${path}.backendUtilization`)] : []),
    ...localitySetting(localityLbSetting, `${path}.localityLbSetting`),
    ...positiveDuration(warmupDurationSecs, `${path}.warmupDurationSecs`),
    ...(warmup === undefined ? [] : warmupRules(warmup, `${path}.warmup`)),
  ];
}

function unweighted(path: string): Finding {
  const message = "load that endpoints report is not looked at yet; the mesh's usual load balancing is used instead";
  return warning(path, { code: "unsupported-field", message });
}

function consistentHash({ hashKey }: LoadBalancerSettings_ConsistentHashLB, path: string): readonly Finding[] {
  if (hashKey.case === undefined) {
    const message = "a consistent hash needs a key: a header, a cookie, the source address or a query parameter";
    return [error(path, { code: "missing-hash-key", message })];
  }
  if (hashKey.case !== "httpCookie") return [];
  const { name, ttl, attributes } = hashKey.value;
  const sentence = "clients without the cookie are not given one unless it has a ttl";
  return [
    ...errorUnless(name !== "", `${path}.httpCookie.name`, { code: "missing-name", message: "a cookie needs a name" }),
    ...(ttl === undefined ? [warning(`${path}.httpCookie`, { code: "missing-ttl", message: sentence })] : []),
    ...attributes.flatMap((attribute, index) =>
      someText(attribute.name, fieldPath(path, "httpCookie", "attributes", index, "name"), "the name of an attribute"),
    ),
    ...unique(attributes, `${path}.httpCookie.attributes`, {
      what: "the attribute",
      field: ["name"],
      valueOf: (attribute) => attribute.name || undefined,
    }),
  ];
}

function warmupRules({ duration, minimumPercent, aggression }: WarmupConfiguration, path: string): readonly Finding[] {
  return [
    ...errorUnless(duration !== undefined, path, { code: "missing-duration", message: "a warm-up needs a duration" }),
    ...positiveDuration(duration, `${path}.duration`),
    ...percentage(minimumPercent, `${path}.minimumPercent`),
    ...errorUnless(aggression === undefined || aggression >= 1, `${path}.aggression`, {
      code: "out-of-range",
      message: `aggression is at least 1, not ${aggression}`,
    }),
  ];
}
