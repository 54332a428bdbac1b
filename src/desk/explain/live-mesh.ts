import { knownConfig } from "../../admin/explain/known-config.ts";
import { sentResources } from "../../admin/pilot/resources.ts";
import type { PilotState } from "../../admin/state.ts";
import type { ExplainedMesh } from "./explain-in.ts";

/** The live mesh: every proxy with the resources that it was sent, as `binnacle explain --server` sees it. */
export function liveMesh(state: Pick<PilotState, "published" | "patchesFor" | "originOf">): ExplainedMesh {
  return {
    push: state.published(),
    configOf({ client, subscriptions }) {
      const held = subscriptions.map((each) => ({
        typeUrl: each.type.typeUrl,
        resources: sentResources(each, subscriptions),
      }));
      return knownConfig(held, state.patchesFor(client), state.originOf);
    },
  };
}
