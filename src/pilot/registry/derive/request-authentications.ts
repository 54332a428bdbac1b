import type { Collection } from "../../../collection/collection.ts";
import type { Graph } from "../../../collection/graph.ts";
import { configKey } from "../../../config/config.ts";
import { canonicalKey } from "../../../lib/canonical-key.ts";
import type { RequestAuthentication } from "../../model/policy/request-authentication.ts";
import type { Inputs } from "../inputs.ts";
import { requestAuthenticationOf } from "../policy/request-authentication.ts";

/** RequestAuthentications with their key sets. A new key set changes the policies that use it. */
export function deriveRequestAuthentications(
  graph: Graph,
  { requestAuthentications, fetchedKeySets }: Inputs,
): Collection<RequestAuthentication> {
  return graph.derive({
    name: "request authentications",
    from: requestAuthentications,
    reads: { fetchedKeySets },
    key: (policy: RequestAuthentication) => configKey(policy),
    to: (config, reads) => [requestAuthenticationOf(config, (key) => reads.fetchedKeySets.get(key))],
  });
}

/** By the key of a key set: the policies that need it. Its fetcher follows this collection. */
export function groupByKeySet(graph: Graph, from: Collection<RequestAuthentication>) {
  return graph.group({
    name: "request authentications by key set",
    from,
    keys: ({ rules }) => new Set(rules.flatMap(({ place }) => (place === undefined ? [] : [canonicalKey(place)]))),
  });
}
