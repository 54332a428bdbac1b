import type { ConfigId, Origin } from "../../config/config.ts";
import { compareTexts } from "../../lib/compare.ts";
import { withoutKeys } from "../../lib/without-keys.ts";
import type { EnvoyConfig, ResourceType } from "../../explain/envoy-config.ts";
import { configOwners } from "../../pilot/xds/status/suspects.ts";
import type { Resource } from "../../xds/resources/resource.ts";
import { clusterType, endpointType, listenerType, routeType } from "../../xds/type-urls.ts";
import { type AskEnvoy, findRefused, type RefusedResource } from "../envoy/find-refused.ts";
import { judgedTypes } from "../envoy/judged-bootstrap.ts";
import type { Risk } from "../plan.ts";

const typeNames = new Map<string, { readonly type: ResourceType; readonly shown: string }>([
  [clusterType, { type: "cluster", shown: "CDS" }],
  [endpointType, { type: "endpoint", shown: "EDS" }],
  [listenerType, { type: "listener", shown: "LDS" }],
  [routeType, { type: "route", shown: "RDS" }],
]);

/** The configuration of one group of proxies after a change. */
interface JudgedGroup {
  readonly node: string;
  readonly resources: readonly { readonly typeUrl: string; readonly resources: readonly Resource[] }[];
  /** The resources of the change, by type URL and name. */
  readonly isChanged: (typeUrl: string, name: string) => boolean;
  readonly after: EnvoyConfig;
  readonly originOf: (id: ConfigId) => Origin | undefined;
}

/** The changed resources that a real Envoy refuses. A resource that it refused before is no risk of the change. */
export async function refusedByEnvoy(
  { node, resources, isChanged, ...around }: JudgedGroup,
  ask: AskEnvoy,
): Promise<{ readonly risks: readonly Risk[]; readonly complete: boolean }> {
  const inOrder = judgedTypes.flatMap((typeUrl) =>
    resources.filter((each) => each.typeUrl === typeUrl).flatMap((each) => each.resources),
  );
  const typeOf = new Map(resources.flatMap((each) => each.resources.map((one) => [one, each.typeUrl] as const)));
  const judged = inOrder.map((resource) => ({ typeUrl: typeOf.get(resource) ?? "", resource }));
  const { refused, complete } = await findRefused(node, judged, ask);
  const found = refused.filter(({ typeUrl, resource }) => isChanged(typeUrl, resource.name));
  return { risks: found.map((each) => riskOf(each, around)), complete };
}

function riskOf(
  { typeUrl, resource, words }: RefusedResource,
  { after, originOf }: Pick<JudgedGroup, "after" | "originOf">,
): Risk {
  const { type, shown } = typeNames.get(typeUrl) ?? { type: "listener", shown: typeUrl };
  const patches = after.patchesOf?.(type, resource.name) ?? [];
  const owners = [...configOwners(resource), ...(Object.values(resource.partOwners ?? {}) as ConfigId[])];
  const references = new Map<string, string>([
    ...patches.map(({ object, reference }) => [object, reference] as const),
    ...owners.map((id) => [id, originOf(id)?.reference ?? ""] as const),
  ]);
  const from = [...references].map(([id, reference]) => (reference === "" ? id : `${id} (${reference})`));
  const of = from.length === 0 ? "" : `, from ${from.toSorted(compareTexts).join(", ")}`;
  return {
    code: "refused-by-envoy",
    text: `Envoy refuses ${shown} ${resource.name}${of}: ${withoutKeys(words)}`,
    objects: [...references.keys()],
  };
}
