import type { Analyzer } from "../../config/analysis/analyzer.ts";
import { analyzers } from "../../config/analysis/analyzers.ts";
import { messages } from "../../config/analysis/messages.ts";
import { envoyFilter } from "../../config/kinds/envoy-filter.ts";
import { patchValueOf } from "../../pilot/networking/patch/patch-value.ts";
import { envoyFilterOf } from "../../pilot/registry/policy/envoy-filter.ts";

const onlyMerge = "a bootstrap can only be merged";

/** Reads the values of patches as Envoy's messages. It is not among the other analyzers: only Pilot knows the messages. */
const patchValueAnalyzer: Analyzer = {
  name: "envoyfilter.PatchValueAnalyzer",
  description: "Patches whose value is not the message of Envoy that it should be, or has fields without effect",
  inputs: [envoyFilter],
  analyze(context) {
    for (const config of context.all(envoyFilter)) {
      for (const patch of envoyFilterOf(config).patches) {
        const about = { config, path: `spec.configPatches[${patch.index}].patch.value` };
        const value = patchValueOf(patch);
        if (value.type === "invalid") {
          const detail = value.path === "" ? value.reason : `${value.path}: ${value.reason}`;
          context.report(messages.patchRefused, about, { detail });
        }
        if (patch.target === "BOOTSTRAP" && patch.operation !== "MERGE")
          context.report(messages.patchRefused, about, { detail: onlyMerge });
        if (value.type !== "message") continue;
        for (const detail of value.remarks) context.report(messages.patchIgnored, about, { detail });
      }
    }
  },
};

/** Every analyzer, with those that need Pilot. */
export const allAnalyzers: readonly Analyzer[] = [...analyzers, patchValueAnalyzer];
