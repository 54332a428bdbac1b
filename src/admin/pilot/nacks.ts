import type { ConfigId } from "../../config/config.ts";
import { type Rejection, rejectionsAmong } from "../../pilot/xds/status/rejections.ts";
import { json, type Route } from "../route.ts";
import type { PilotState } from "../state.ts";

type NackState = Pick<PilotState, "connections" | "originOf">;

export function nacks(state: NackState): Route {
  return {
    path: "/debug/nacks",
    doc: "what proxies reject now: the resource, the objects it was made of and where they stand, and the proxies",
    answer: () => json(rejectionsAmong(state.connections()).map((rejection) => placed(rejection, state))),
  };
}

function placed({ objects, ...rejection }: Rejection, { originOf }: NackState) {
  const placedObject = (id: ConfigId) => ({ object: id, reference: originOf(id)?.reference ?? "" });
  return { ...rejection, objects: objects.map(placedObject) };
}
