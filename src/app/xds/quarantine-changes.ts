import { quarantinedObjects } from "../../admin/pilot/quarantine.ts";
import type { QuarantineFeed } from "../kube/status/status-duty.ts";
import { pilotStateOf } from "../parts/pilot-state.ts";

/** Tells listeners that objects entered or left the quarantine. They are built after the discovery server. */
export class QuarantineChanges {
  readonly #listeners: (() => void)[] = [];

  listen(listener: () => void): void {
    this.#listeners.push(listener);
  }

  notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** The quarantined objects with their sources, for the status of objects. */
export function quarantineFeed(pilot: Parameters<typeof pilotStateOf>[0], changes: QuarantineChanges): QuarantineFeed {
  const state = pilotStateOf(pilot);
  return {
    objects: () => quarantinedObjects(state).map((each) => ({ ...each, source: state.originOf(each.object)?.source })),
    listen: (listener) => changes.listen(listener),
  };
}
