import type { Config } from "../../config/config.ts";
import { compareTexts } from "../../lib/compare.ts";
import { json, type PageAnswer, type Route } from "../route.ts";
import type { GalleyState } from "../state.ts";
import { contentOf } from "./object-content.ts";

type Configs = Pick<GalleyState, "configs">;

export function configzPage(state: Configs): Route {
  return {
    path: "/debug/configz",
    doc: "all accepted objects, by collection, with their places in files; ?content=true adds annotations and spec, without secrets",
    answer: (query) => shownConfigs(state, { content: query.get("content") === "true" }),
  };
}

/** The objects, by collection and key. `content` adds everything that was written in them, except secrets. */
export function shownConfigs({ configs }: Configs, { content }: { readonly content: boolean }): PageAnswer {
  return json(
    Object.fromEntries(
      Array.from(configs, ([name, collection]) => [
        name,
        Array.from(collection.entries(), ([key, config]) => ({
          ...summaryOf(key, config),
          ...(content && contentOf(config)),
        })).toSorted((a, b) => compareTexts(a.key, b.key)),
      ]),
    ),
  );
}

function summaryOf(key: string, { kind, apiVersion, version, origin, labels }: Config) {
  return { key, kind, apiVersion, version, reference: origin.reference, source: origin.source, labels };
}
