import { fromBinary } from "@bufbuild/protobuf";
import { AnySchema } from "@bufbuild/protobuf/wkt";
import { type ResourceFacts, readResourceFacts } from "../../fleet/resource-facts.ts";
import { oncePer } from "../../lib/memo.ts";
import type { Resource } from "../../xds/resources/resource.ts";
import { anyIn } from "../../xds/wire/entry.ts";

const clusterFacts = oncePer((resource: Resource): ResourceFacts => readResourceFacts("CDS", valueOf(resource)));
const listenerFacts = oncePer((resource: Resource): ResourceFacts => readResourceFacts("LDS", valueOf(resource)));
const routeFacts = oncePer((resource: Resource): ResourceFacts => readResourceFacts("RDS", valueOf(resource)));

type Resources = Iterable<Resource>;

/** The load assignments that clusters name. */
export function endpointsNamedBy(clusters: Resources): ReadonlySet<string> {
  return new Set(Array.from(clusters, (cluster) => clusterFacts(cluster).endpoints ?? []).flat());
}

/** The route configurations that listeners name. */
export function routesNamedBy(listeners: Resources): ReadonlySet<string> {
  return new Set(Array.from(listeners, (listener) => listenerFacts(listener).routes).flat());
}

/** The clusters that listeners and route configurations name. */
export function clustersNamedBy(listeners: Resources, routes: Resources): ReadonlySet<string> {
  return new Set([
    ...Array.from(listeners, (listener) => listenerFacts(listener).clusters).flat(),
    ...Array.from(routes, (route) => routeFacts(route).clusters).flat(),
  ]);
}

function valueOf({ entry }: Resource): Uint8Array {
  return fromBinary(AnySchema, anyIn(entry)).value;
}
