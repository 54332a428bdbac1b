import type { Connection } from "../../../../xds/connection.ts";
import { clusterType, listenerType } from "../../../../xds/type-urls.ts";
import { isProxyless, type Proxy } from "../../../model/proxy/proxy.ts";
import { namesOwnedIn } from "./owned-names.ts";
import type { AwaitedObject, MissingAnswer } from "./missing-answer.ts";
import { namesReferredTo, references } from "./referred-names.ts";

/**
 * How long a silent proxy may take to ask for resources that it needs. An Envoy asks at once. Later the proxy does not
 * want them: some clients use only a part of the types.
 */
const requestGraceMs = 5_000;

/** The types that every Envoy asks for by itself. */
const startTypes = [
  { typeUrl: clusterType, shortName: "CDS" },
  { typeUrl: listenerType, shortName: "LDS" },
];

/**
 * The types and names that an Envoy will ask for after its last answer. A proxy on a new stream begins with clusters, and
 * asks for listeners when the clusters are warm. It asks for endpoints and routes when clusters and listeners name them.
 */
export function unrequestedOf(
  { client, watched }: Connection<Proxy>,
  object: AwaitedObject,
  silentMs: number,
): readonly MissingAnswer[] {
  if (isProxyless(client) || silentMs >= requestGraceMs) return [];
  const watchOf = (typeUrl: string) => watched.find(({ subscription }) => subscription.type.typeUrl === typeUrl);
  const types = startTypes.filter(({ typeUrl }) => watchOf(typeUrl) === undefined);
  const names = references.flatMap((reference) => {
    const { typeUrl, shortName } = reference.to;
    const watch = watchOf(typeUrl);
    const owned = object.isDeleted ? [] : namesOwnedIn(watch?.target ?? [], object.id);
    const unrequested = owned.filter((name) => watch?.subscription.wants(name) === false);
    if (watch !== undefined && unrequested.length === 0) return [];
    const named = namesReferredTo(watchOf(reference.from)?.target ?? [], reference);
    const resources = unrequested.filter((name) => named.has(name));
    return resources.length > 0 || (watch === undefined && named.size > 0) ? [missing(shortName, resources)] : [];
  });
  return [...types.map(({ shortName }) => missing(shortName, [])), ...names];
}

function missing(type: string, resources: readonly string[]): MissingAnswer {
  return { type, resources, why: "not requested", isFinal: false };
}
