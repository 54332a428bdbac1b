import { kinds } from "../../config/kinds.ts";
import { json, type Route } from "../route.ts";

/** Names include their group, as in `kubectl api-resources`. */
export const resourceszPage: Route = {
  path: "/debug/resourcesz",
  doc: "all supported kinds of configuration",
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
