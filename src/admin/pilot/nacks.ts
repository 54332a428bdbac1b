import { type Rejection, rejectionsAmong } from "../../pilot/xds/status/rejections.ts";
import { json, type Route } from "../route.ts";
import type { PilotState } from "../state.ts";
import { objectWithReference } from "./object-reference.ts";

type NackState = Pick<PilotState, "connections" | "originOf">;

export function nacksPage(state: NackState): Route {
  return {
    path: "/debug/nacks",
    doc: "currently rejected resources, with their objects, the places of these objects, and the proxies",
    answer: () => json(rejectionsAmong(state.connections()).map((rejection) => shown(rejection, state))),
  };
}

function shown({ objects, ...rejection }: Rejection, state: NackState) {
  return { ...rejection, objects: objects.map((object) => objectWithReference(object, state)) };
}
