import type { Config } from "../../config/config.ts";
import { compareTexts } from "../../lib/compare.ts";
import { json, type Route } from "../route.ts";
import type { GalleyState } from "../state.ts";

export function configzPage({ configs }: Pick<GalleyState, "configs">): Route {
  return {
    path: "/debug/configz",
    doc: "all accepted objects, by collection, with their places in files",
    answer: () =>
      json(
        Object.fromEntries(
          Array.from(configs, ([name, collection]) => [
            name,
            Array.from(collection.entries(), ([key, config]) => summaryOf(key, config)).toSorted((a, b) =>
              compareTexts(a.key, b.key),
            ),
          ]),
        ),
      ),
  };
}

function summaryOf(key: string, { kind, apiVersion, version, origin, labels }: Config) {
  return { key, kind, apiVersion, version, reference: origin.reference, source: origin.source, labels };
}
