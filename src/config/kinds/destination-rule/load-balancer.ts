import type {
  LoadBalancerSettings,
  LoadBalancerSettings_ConsistentHashLB,
  WarmupConfiguration,
} from "#gen/istio/networking/v1alpha3/destination_rule_pb.js";
import { fieldPath } from "../../field-path.ts";
import { errorUnless, type Finding, warning } from "../../finding.ts";
import { envoyDuration, percentage, positiveDuration } from "../../rules/amount.ts";
import { headerText } from "../../rules/headers.ts";
import { someText } from "../../rules/text.ts";
import { unique } from "../../rules/unique.ts";
import { localitySetting, zoneAwareSetting } from "./locality.ts";

export function loadBalancer(settings: LoadBalancerSettings | undefined, path: string): readonly Finding[] {
  if (settings === undefined) return [];
  const { lbPolicy, localityLbSetting, zoneAwareLbSetting, warmup, warmupDurationSecs } = settings;
  const hash = lbPolicy.case === "consistentHash" ? lbPolicy.value : undefined;
  return [
    ...(hash === undefined ? [] : consistentHash(hash, `${path}.consistentHash`)),
    ...(lbPolicy.case === "backendUtilization" ? [unweighted(`${path}.backendUtilization`)] : []),
    ...localitySetting(localityLbSetting, `${path}.localityLbSetting`),
    ...zoneAwareSetting(zoneAwareLbSetting, `${path}.zoneAwareLbSetting`),
    ...errorUnless(localityLbSetting === undefined || zoneAwareLbSetting === undefined, path, {
      code: "conflicting-fields",
      message: "only one of localityLbSetting and zoneAwareLbSetting may be set",
    }),
    ...positiveDuration(warmupDurationSecs, `${path}.warmupDurationSecs`),
    ...(warmup === undefined ? [] : warmupRules(warmup, `${path}.warmup`)),
  ];
}

function unweighted(path: string): Finding {
  const message = "load reports of endpoints are not supported; the mesh's default load balancing applies";
  return warning(path, { code: "unsupported-field", message });
}

function consistentHash(hash: LoadBalancerSettings_ConsistentHashLB, path: string): readonly Finding[] {
  return [...hashKeyRules(hash, path), ...ringSize(hash, path), ...hashTable(hash, path)];
}

/** The largest ring that Envoy accepts. */
const maxRingSize = 8_388_608n;

function ringSize({ hashAlgorithm, minimumRingSize }: LoadBalancerSettings_ConsistentHashLB, path: string) {
  const sizes =
    hashAlgorithm.case === "ringHash"
      ? { "ringHash.minimumRingSize": hashAlgorithm.value.minimumRingSize }
      : { minimumRingSize };
  return Object.entries(sizes).flatMap(([field, size]) =>
    errorUnless(size <= maxRingSize, `${path}.${field}`, {
      code: "out-of-range",
      message: `a ring has at most ${maxRingSize} entries, not ${size}: Envoy refuses a larger one`,
    }),
  );
}

/** Envoy's Maglev tables have a prime number of entries, so that every endpoint gets its share. */
const maxTableSize = 5_000_011n;

function hashTable(
  { hashAlgorithm, minimumRingSize }: LoadBalancerSettings_ConsistentHashLB,
  path: string,
): readonly Finding[] {
  const size = hashAlgorithm.case === "maglev" ? hashAlgorithm.value.tableSize : undefined;
  const isSize = size === undefined || (size < maxTableSize && isPrime(Number(size)));
  const old = `${path}.minimumRingSize`;
  const hint = "write ringHash: { minimumRingSize: … }";
  return [
    ...errorUnless(isSize, `${path}.maglev.tableSize`, {
      code: "out-of-range",
      message: `a table has a prime number of entries below ${maxTableSize}, not ${size}`,
      hint: "the default is 65537",
    }),
    ...errorUnless(minimumRingSize === 0n || hashAlgorithm.case === undefined, old, {
      code: "conflicting-fields",
      message: "minimumRingSize cannot be combined with ringHash or maglev",
    }),
    ...(minimumRingSize === 0n || hashAlgorithm.case !== undefined
      ? []
      : [warning(old, { code: "deprecated-field", message: "minimumRingSize is deprecated", hint })]),
  ];
}

function isPrime(number: number): boolean {
  for (let factor = 2; factor * factor <= number; factor += 1) if (number % factor === 0) return false;
  return number > 1;
}

function hashKeyRules({ hashKey }: LoadBalancerSettings_ConsistentHashLB, path: string): readonly Finding[] {
  if (hashKey.case === undefined) {
    const message = "consistentHash needs httpHeaderName, httpCookie, useSourceIp or httpQueryParameterName";
    return [warning(path, { code: "missing-hash-key", message })];
  }
  if (hashKey.case === "httpHeaderName" || hashKey.case === "httpQueryParameterName") {
    return headerText(hashKey.value, `${path}.${hashKey.case}`);
  }
  if (hashKey.case !== "httpCookie") return [];
  const { name, ttl, path: where, attributes } = hashKey.value;
  const sentence = "Envoy sets the cookie for new clients only if it has a ttl";
  return [
    ...errorUnless(name !== "", `${path}.httpCookie.name`, { code: "missing-name", message: "a cookie needs a name" }),
    ...headerText(name, `${path}.httpCookie.name`),
    ...headerText(where, `${path}.httpCookie.path`),
    ...envoyDuration(ttl, `${path}.httpCookie.ttl`),
    ...attributes.flatMap((attribute, index) =>
      (["name", "value"] as const).flatMap((field) =>
        headerText(attribute[field], fieldPath(path, "httpCookie", "attributes", index, field)),
      ),
    ),
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
    ...errorUnless(aggression === undefined || aggression > 0, `${path}.aggression`, {
      code: "out-of-range",
      message: `aggression is more than 0, not ${aggression}`,
    }),
  ];
}
