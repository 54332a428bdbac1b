import { publicJson } from "../../admin/resource/resource-json.ts";
import type { OfflineMesh } from "../../app/offline/read-mesh.ts";
import type { Proxy } from "../../pilot/model/proxy/proxy.ts";
import type { Resource } from "../../pilot/model/resource.ts";
import { secretType } from "../../xds/type-urls.ts";
import { fetchDump } from "../mesh/fetch-dump.ts";
import { proxyResourceTypes } from "../mesh/proxy-resource-types.ts";
import type { ComparedThing } from "./difference.ts";

/** The resources that a proxy would receive from a mesh in files. Private keys are hidden. */
export function resourcesIn(mesh: OfflineMesh, proxy: Proxy): readonly ComparedThing[] {
  const thing = (typeUrl: string, { name, entry, owners }: Resource): ComparedThing => ({
    ...namesOf(typeUrl, name),
    reference: placesOf(owners.map((id) => mesh.originOf(id)?.reference ?? "")),
    content: publicJson(entry),
  });
  return [
    ...mesh.resourcesFor(proxy).flatMap(({ typeUrl, resources }) => resources.map((each) => thing(typeUrl, each))),
    ...mesh.secretsFor(proxy).map((each) => thing(secretType, each)),
  ];
}

/** The resources that a connected proxy received. Throws `unavailable` and `not-found`. */
export async function resourcesAt(server: string, node: string): Promise<readonly ComparedThing[]> {
  const { types } = await fetchDump(server, node);
  return types.flatMap(({ type_url, resources }) =>
    resources.map(({ name, owners, resource }) => ({
      ...namesOf(type_url, name),
      reference: placesOf(owners.map(({ reference }) => reference)),
      content: resource,
    })),
  );
}

/** The first place is enough to find the object behind a resource. */
function placesOf(references: readonly string[]): string {
  return references.find((reference) => reference !== "") ?? "";
}

function namesOf(typeUrl: string, name: string): Pick<ComparedThing, "id" | "name"> {
  const known = proxyResourceTypes.find((type) => type.typeUrl === typeUrl)?.name;
  const type = known ?? typeUrl.slice(typeUrl.lastIndexOf(".") + 1).toLowerCase();
  return { id: `${typeUrl} ${name}`, name: `${type} ${name}` };
}
