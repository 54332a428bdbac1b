import type { Kind } from "../kind.ts";
import { proxyConfig } from "../kinds/proxy-config.ts";
import { kindsOfMixer } from "../kinds.ts";
import type { KindEffects, NoEffect } from "./effect-table.ts";

const rows: readonly (readonly [Kind, NoEffect])[] = [
  [
    proxyConfig,
    {
      reason:
        "sidecar injection sets the threads, variables and image of a proxy before it starts, and Binnacle has none",
    },
  ],
  ...kindsOfMixer.map((kind) => [kind, { reason: "only Mixer read it, and proxies no longer call Mixer" }] as const),
];

/** Kinds without any effect. They are kept, sent over MCP and analysed like other kinds. */
export const wholeKinds: readonly KindEffects[] = rows.map(([kind, whole]) => ({ kind, whole }));
