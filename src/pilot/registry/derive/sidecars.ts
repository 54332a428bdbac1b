import type { Graph } from "../../../collection/graph.ts";
import { configKey } from "../../../config/config.ts";
import type { Sidecar } from "../../model/scope/sidecar.ts";
import type { EnvironmentSettings } from "../environment.ts";
import type { Inputs } from "../inputs.ts";
import { sidecarOf } from "../sidecar.ts";

export function deriveSidecars(graph: Graph, inputs: Inputs, { domain }: EnvironmentSettings) {
  const sidecars = graph.derive({
    name: "sidecars",
    from: inputs.sidecars,
    key: (sidecar: Sidecar) => configKey(sidecar),
    to: (config) => [sidecarOf(config, domain)],
  });
  const sidecarsByNamespace = graph.group({
    name: "sidecars by namespace",
    from: sidecars,
    keys: ({ namespace }) => [namespace],
  });
  return { sidecars, sidecarsByNamespace };
}
