import { rolloutsIn, type ShownRollout } from "../../../admin/pilot/rollouts-page.ts";
import type { Viewer } from "../../../admin/viewer.ts";
import type { DeskState } from "../desk-state.ts";
import { type ApiAnswer, type ApiRequest, found } from "../endpoint.ts";
import type { Listing } from "../model/listing.ts";
import type { RolloutTimeline } from "../model/rollouts.ts";
import { firstLinks } from "../object-links.ts";

/** The timelines of staged changes. The server keeps few of them, so all are on one page. */
export function listRollouts(state: DeskState, { viewer }: ApiRequest): ApiAnswer {
  const namespace = viewer.type === "system" ? undefined : viewer.namespace;
  const { rollouts, ended } = rolloutsIn(state, state.rollouts, namespace);
  const items = [...rollouts, ...ended].map((each) => timelineOf(each, viewer, state));
  return found({ items, total: items.length } satisfies Listing<RolloutTimeline>);
}

function timelineOf(shown: ShownRollout, viewer: Viewer, state: DeskState): RolloutTimeline {
  const { rollout, phase, wave, waves, objects, proxies, accepted, reason, events } = shown;
  const ids = objects.map(({ object }) => object);
  return { rollout, phase, wave, waves, objects: firstLinks(ids, viewer, state), proxies, accepted, reason, events };
}
