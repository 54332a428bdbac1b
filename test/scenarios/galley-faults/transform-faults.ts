import type { Config } from "../../../src/config/config.ts";
import type { Transformer } from "../../../src/galley/processor/transformer.ts";
import { storyCollection } from "../../../src/testing/galley/galley-objects.ts";
import { echoCollection, echoVersion, isPoisoned } from "../../../src/testing/galley/galley-rig.ts";

export function blocking(transforms: readonly Transformer[]): readonly Transformer[] {
  return transforms.map((transformer) => (transformer.name === "echo" ? allAtOnce(transformer) : transformer));
}

/** One derivation for the whole collection. */
function allAtOnce(echo: Transformer): Transformer {
  return {
    ...echo,
    install(graph, input) {
      const from = graph.group({ name: "echo/all", from: input(storyCollection("ServiceEntry")), keys: () => ["all"] });
      const echoes = graph.derive({
        name: echoCollection,
        from,
        reads: { gateways: input(storyCollection("Gateway")) },
        key: ({ namespace, name }: Config) => `${namespace}/${name}`,
        to: (entries: readonly Config[], { gateways }) =>
          entries.map((entry) => {
            if (isPoisoned(entry)) throw new Error("poisoned");
            return { ...entry, version: echoVersion(entry, gateways.get(`${entry.namespace}/${entry.name}`)) };
          }),
      });
      return new Map([[echoCollection, echoes]]);
    },
  };
}
