import { toJson } from "@bufbuild/protobuf";
import { outputOf } from "../../config/kind.ts";
import { meshConfig } from "../../config/kinds/mesh-config.ts";
import { workloadGroup } from "../../config/kinds/workload-group.ts";
import { type MachineGroup, machineGroup } from "../../config/mesh/machine-group.ts";
import { meshDefaults } from "../../config/mesh/mesh-defaults.ts";
import { json, type Route, text } from "../route.ts";
import type { GalleyState } from "../state.ts";

/** The facts of a server that the files of a machine are made from. They contain no key and no token. */
export interface WorkloadGroupReport {
  readonly group: MachineGroup;
  /** The MeshConfig, as JSON. */
  readonly mesh: unknown;
  /** The roots of the server's authority, PEM. Empty without an authority. */
  readonly rootCertificates: string;
}

export interface WorkloadGroupState extends Pick<GalleyState, "configs"> {
  readonly roots: () => readonly string[];
}

export function workloadGroupPage({ configs, roots }: WorkloadGroupState): Route {
  return {
    path: "/debug/workload_group",
    doc: "a WorkloadGroup with the MeshConfig and the root certificates, for `binnacle workload configure`; ?name=NAMESPACE/NAME",
    answer(query) {
      const name = query.get("name") ?? "";
      const found = configs.get(outputOf(workloadGroup) ?? "")?.get(name);
      if (found === undefined) return text(`there is no WorkloadGroup ${name}: add ?name=NAMESPACE/NAME`, 404);
      const [mesh] = configs.get(meshConfig.collection)?.values() ?? [];
      const report: WorkloadGroupReport = {
        group: machineGroup(found),
        // The collection has only this kind.
        mesh: toJson(meshConfig.schema, mesh === undefined ? meshDefaults() : (mesh.spec as never)),
        rootCertificates: roots()
          .map((pem) => `${pem.trim()}\n`)
          .join(""),
      };
      return json(report);
    },
  };
}
