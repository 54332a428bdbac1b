import type { WorkGate } from "../../lib/overload/overload.ts";

/** Whether a question about edited objects may run now. */
export type GateAnswer =
  | { readonly type: "entered"; readonly leave: () => void }
  | { readonly type: "refused"; readonly status: 429 | 503; readonly reason: string };

/** Lets one question run at a time, and none while the server is loaded: it builds the mesh a second time. */
export class WhatIfGate {
  readonly #load: WorkGate;
  #isBusy = false;

  constructor(load: WorkGate) {
    this.#load = load;
  }

  enter(): GateAnswer {
    if (this.#load.paceOf("pages") !== "usual") {
      this.#load.shed("pages");
      const reason = `the server is loaded: ${this.#load.reason ?? "unknown"}; ask what if again later`;
      return { type: "refused", status: 503, reason };
    }
    if (this.#isBusy) {
      return { type: "refused", status: 429, reason: "another what-if question is being answered: try again" };
    }
    this.#isBusy = true;
    const leave = () => {
      this.#isBusy = false;
    };
    return { type: "entered", leave };
  }
}
