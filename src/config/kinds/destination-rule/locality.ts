import type {
  LocalityLoadBalancerSetting,
  LocalityLoadBalancerSetting_Distribute,
  LocalityLoadBalancerSetting_Failover,
  ZoneAwareLoadBalancerSetting,
} from "#gen/istio/networking/v1alpha3/destination_rule_pb.js";
import { fieldPath } from "../../field-path.ts";
import { errorUnless, type Finding, type Remark } from "../../finding.ts";
import { regionLabel, subzoneLabel, zoneLabel } from "../../mesh/topology-labels.ts";
import { firstOverlaps, type Wildcards } from "../../rules/overlaps.ts";

/**
 * Envoy has 129 priorities. Each label may be shared or not, in the own network or in a foreign one. In addition there
 * are five distances: (2 × 12 + 1) × 5 is 125.
 */
const maxFailoverLabels = 12;

/** Locality distribution and failover, of a destination or of the whole mesh. */
export function localitySetting(setting: LocalityLoadBalancerSetting | undefined, path: string): readonly Finding[] {
  if (setting === undefined) return [];
  const { distribute, failover, failoverPriority } = setting;
  return [
    ...errorUnless(distribute.length === 0 || failover.length === 0, path, {
      code: "conflicting-fields",
      message: "distribute cannot be combined with failover",
    }),
    ...errorUnless(failover.length === 0 || !failoverPriority.some(isTopology), `${path}.failoverPriority`, {
      code: "conflicting-fields",
      message: "failoverPriority cannot list topology labels if failover is set: failover already decides by region",
    }),
    ...fewEnough(failoverPriority, `${path}.failoverPriority`),
    ...overlapping(
      distribute.map(({ from }) => from),
      (index) => fieldPath(path, "distribute", index, "from"),
    ),
    ...distribute.flatMap((entry, index) => distribution(entry, fieldPath(path, "distribute", index))),
    ...failover.flatMap((entry, index) => failoverRules(entry, fieldPath(path, "failover", index))),
  ];
}

/** Failover between regions. Envoy itself prefers the own zone within a region. */
export function zoneAwareSetting(setting: ZoneAwareLoadBalancerSetting | undefined, path: string): readonly Finding[] {
  if (setting === undefined) return [];
  const { failover, failoverPriority } = setting;
  return [
    ...failoverPriority.flatMap((priority, index) =>
      errorUnless(!topology.has(priority), fieldPath(path, "failoverPriority", index), {
        code: "conflicting-fields",
        message: "zone-aware load balancing already decides by region and zone",
        hint: "remove the topology label",
      }),
    ),
    ...fewEnough(failoverPriority, `${path}.failoverPriority`),
    ...failover.flatMap((entry, index) => failoverRules(entry, fieldPath(path, "failover", index))),
  ];
}

function fewEnough(failoverPriority: readonly string[], path: string): readonly Finding[] {
  return errorUnless(failoverPriority.length <= maxFailoverLabels, path, {
    code: "too-many-values",
    message: `at most ${maxFailoverLabels} labels are allowed, found ${failoverPriority.length}`,
  });
}

function distribution({ from, to }: LocalityLoadBalancerSetting_Distribute, path: string): readonly Finding[] {
  const total = Object.values(to).reduce((sum, weight) => sum + weight, 0);
  const targets = Object.keys(to);
  return [
    ...locality(from, `${path}.from`),
    ...errorUnless(total === 100, `${path}.to`, {
      code: "bad-weights",
      message: `the weights must sum to 100, not ${total}`,
    }),
    ...overlapping(targets, (index) => fieldPath(path, "to", targets[index] ?? "")),
    ...Object.entries(to).flatMap(([target, weight]) => {
      const at = fieldPath(path, "to", target);
      const tooSmall: Remark = { code: "bad-weights", message: "a weight is at least 1" };
      return [...locality(target, at), ...errorUnless(weight >= 1, at, tooSmall)];
    }),
  ];
}

function overlapping(localities: readonly string[], pathOf: (index: number) => string): readonly Finding[] {
  const rivals = firstOverlaps(localities, localityWildcards);
  return localities.flatMap((text, index) => {
    const rival = rivals.get(index);
    return errorUnless(rival === undefined, pathOf(index), {
      code: "overlapping-localities",
      message: `"${text}" overlaps with "${rival}"`,
    });
  });
}

const topology: ReadonlySet<string> = new Set([regionLabel, zoneLabel, subzoneLabel]);

/** `label` or `label=value`. */
function isTopology(priority: string): boolean {
  return topology.has(priority.split("=")[0] ?? "");
}

/** `region/*`, `region/zone/*`, `*`: the part before the star is the prefix of the localities. */
const localityWildcards: Wildcards = {
  core: (text) => (text === "*" || text.endsWith("/*") ? text.slice(0, -1) : undefined),
  *coresAround(text) {
    yield "";
    const [region = "", zone = "", ...rest] = text.split("/", 3);
    if (text.includes("/")) yield `${region}/`;
    if (rest.length > 0) yield `${region}/${zone}/`;
  },
};

/** `region/zone/subzone`; the last part may be `*`. */
function locality(text: string, path: string): readonly Finding[] {
  const parts = text.split("/");
  const bad = parts.some(
    (part, index) => part === "" || (part.includes("*") && (part !== "*" || index < parts.length - 1)),
  );
  return errorUnless(!bad && parts.length <= 3, path, {
    code: "bad-locality",
    message: `"${text}" is not a locality`,
    hint: 'write region/zone/subzone; only the last part may be "*"',
  });
}

type Failover = Pick<LocalityLoadBalancerSetting_Failover, "from" | "to">;

function failoverRules({ from, to }: Failover, path: string): readonly Finding[] {
  return [
    ...errorUnless(from !== to, path, {
      code: "bad-failover",
      message: `traffic of "${from}" cannot fail over to itself`,
    }),
    ...Object.entries({ from, to }).flatMap(([field, region]) =>
      errorUnless(!/[*/]/u.test(region), fieldPath(path, field), {
        code: "bad-failover",
        message: "failover needs whole regions, without zones and wildcards",
      }),
    ),
  ];
}
