import { kinds } from "../../config/kinds.ts";
import { json, type Route } from "../route.ts";

/** Names come with their group, as `kubectl api-resources` has them. */
export const resourceszPage: Route = {
  path: "/debug/resourcesz",
  doc: "every kind of configuration that is understood",
  answer: () =>
    json(
      kinds.map(({ kind, group, versions, plural, scope, collection }) => ({
        kind,
        group,
        versions,
        plural,
        scope,
        collection,
      })),
    ),
};
