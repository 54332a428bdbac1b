import { currentResources } from "../../../admin/pilot/resources.ts";
import { publicJson } from "../../../admin/resource/resource-json.ts";
import { compareTexts } from "../../../lib/compare.ts";
import type { Proxy } from "../../../pilot/model/proxy/proxy.ts";
import type { Connection } from "../../../xds/connection.ts";
import type { Resource } from "../../../xds/resources/resource.ts";
import type { DeskState } from "../desk-state.ts";
import { type ApiAnswer, type ApiRequest, found, problem } from "../endpoint.ts";
import { jsonDiff } from "../json-diff.ts";
import type { Shortened } from "../model/listing.ts";
import type { ProxyDiff, ResourceDiff, TypeDiff } from "../model/proxies.ts";
import { findNode, notConnected } from "../proxy-facts.ts";

const shownNames = 200;
const shownDifferences = 500;
const maxComparedBytes = 1024 * 1024;

/** The resources that two proxies should have, by type. */
export function diffProxies(state: DeskState, request: ApiRequest): ApiAnswer {
  const pair = pairIn(state, request);
  if ("status" in pair) return pair;
  const { here, there } = pair;
  const types = new Set([here, there].flatMap(({ watched }) => watched.map(({ subscription }) => subscription.type)));
  const diff: ProxyDiff = {
    node: here.client.nodeId,
    with: there.client.nodeId,
    types: Array.from(types, ({ shortName }) =>
      diffOfType(shortName, targetOf(here, shortName), targetOf(there, shortName)),
    ),
  };
  return found(diff);
}

export function diffResource(state: DeskState, request: ApiRequest): ApiAnswer {
  const pair = pairIn(state, request);
  if ("status" in pair) return pair;
  const [, name = ""] = request.values;
  const type = request.query.get("type") ?? "";
  const [own, other] = [pair.here, pair.there].map((each) => targetOf(each, type).get(name));
  if (own === undefined && other === undefined) {
    return problem(404, `neither proxy has a resource ${name} of type ${type || "?"}`);
  }
  if ([own, other].some((each) => (each?.entry.length ?? 0) > maxComparedBytes)) {
    return problem(413, `${name} is too large to compare here: use binnacle proxy-config for both proxies`);
  }
  const all = own?.version === other?.version ? [] : jsonDiff(jsonOf(own), jsonOf(other));
  const diff: ResourceDiff = { type, name, differences: shortened(all, shownDifferences) };
  return found(diff);
}

interface Pair {
  readonly here: Connection<Proxy>;
  readonly there: Connection<Proxy>;
}

function pairIn(state: DeskState, { viewer, values: [node = ""], query }: ApiRequest): Pair | ApiAnswer {
  const other = query.get("with") ?? "";
  if (other === "") return problem(400, "missing parameter: add ?with=NODE");
  const here = findNode(state, viewer, node);
  if (here === undefined) return notConnected(node);
  const there = findNode(state, viewer, other);
  return there === undefined ? notConnected(other) : { here, there };
}

function targetOf({ watched }: Connection<Proxy>, type: string): ReadonlyMap<string, Resource> {
  const wanted = watched
    .filter(({ subscription }) => subscription.type.shortName === type)
    .flatMap((each) => currentResources(each, watched));
  return new Map(wanted.map((resource) => [resource.name, resource]));
}

function diffOfType(type: string, here: ReadonlyMap<string, Resource>, there: ReadonlyMap<string, Resource>): TypeDiff {
  const names = [...here.keys()].toSorted(compareTexts);
  const common = names.filter((name) => there.has(name));
  const different = common.filter((name) => here.get(name)?.version !== there.get(name)?.version);
  return {
    type,
    equal: common.length - different.length,
    different: shortened(different, shownNames),
    onlyHere: shortened(
      names.filter((name) => !there.has(name)),
      shownNames,
    ),
    onlyThere: shortened([...there.keys()].filter((name) => !here.has(name)).toSorted(compareTexts), shownNames),
  };
}

function jsonOf(resource: Resource | undefined): unknown {
  return resource === undefined ? {} : publicJson(resource.entry);
}

function shortened<T>(items: readonly T[], most: number): Shortened<T> {
  return { items: items.slice(0, most), total: items.length };
}
