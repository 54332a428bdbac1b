import type { ConfigId } from "../../config/config.ts";
import { type Rejection, rejectionsAmong } from "../../pilot/xds/status/rejections.ts";
import { json, type Route } from "../route.ts";
import type { PilotState } from "../state.ts";
import { objectWithReference } from "./object-reference.ts";
import { keptFrom } from "./quarantine.ts";

type NackState = Pick<PilotState, "connections" | "originOf" | "quarantine">;

export function nacksPage(state: NackState): Route {
  return {
    path: "/debug/nacks",
    doc: "currently rejected resources, with their objects, the places of these objects, the proxies, and the objects that are in quarantine",
    answer: () => json(shownRejections(state)),
  };
}

function shownRejections(state: NackState) {
  const connections = [...state.connections()];
  const quarantine = state.quarantine();
  const kept = new Map(connections.map(({ client }) => [client.nodeId, keptFrom(client, quarantine)]));
  return rejectionsAmong(connections).map((rejection) => shown(rejection, kept, state));
}

/** `quarantined` has the objects behind the rejection that the proxies do not get any more. */
function shown({ objects, ...rejection }: Rejection, kept: ReadonlyMap<string, readonly ConfigId[]>, state: NackState) {
  const away = new Set(rejection.proxies.flatMap((node) => kept.get(node) ?? []));
  return {
    ...rejection,
    objects: objects.map((object) => objectWithReference(object, state)),
    quarantined: objects.filter((object) => away.has(object)),
  };
}
