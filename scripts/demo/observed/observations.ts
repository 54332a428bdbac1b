import type { Bookinfo } from "../bookinfo.ts";
import type { Edition, Flow } from "../cast/edition.ts";
import { Traffic } from "./calls.ts";
import type { DemoProblem } from "./demo-problem.ts";
import { EventLog } from "./event-log.ts";
import type { Scene } from "./scene.ts";

export interface ObservationsOptions {
  readonly edition: Edition;
  readonly directory: string;
  readonly bookinfo: Bookinfo;
  /** The number of intervals over which calls are counted. */
  readonly intervals: number;
}

/** The number of events that a tall terminal shows. */
const eventsKept = 100;

/** The observed events and traffic of the mesh, interval by interval. */
export class Observations {
  readonly #options: ObservationsOptions;
  readonly log = new EventLog({ capacity: eventsKept });
  readonly flows: readonly { readonly flow: Flow; readonly traffic: Traffic }[];

  constructor(options: ObservationsOptions) {
    this.#options = options;
    this.flows = options.edition.flows.map((flow) => ({ flow, traffic: new Traffic(options) }));
  }

  endInterval(): void {
    this.log.endInterval();
    for (const { traffic } of this.flows) traffic.endInterval();
  }

  /** The scene with all observations and the given rest. */
  scene(rest: { readonly problems: readonly DemoProblem[]; readonly debugPages: string }): Scene {
    const { edition, directory, bookinfo } = this.#options;
    const workloads = bookinfo.workloads.filter(({ app }) => app === "reviews").map(({ name }) => name);
    const flows = this.flows.map(({ flow: { user, way }, traffic }) => {
      return { user, way: way(bookinfo), workloads, tally: traffic.tally() };
    });
    return { title: edition.title, directory, flows, events: this.log.events, ...rest };
  }
}
