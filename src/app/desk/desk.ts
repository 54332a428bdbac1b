import type { PushRequest } from "../../pilot/model/push-request.ts";
import { isEndpointOnly } from "../../pilot/model/push-request.ts";
import type { DiscoveryServer } from "../../pilot/xds/discovery-server.ts";
import type { XdsObserver } from "../../pilot/xds/observer.ts";
import { Journal } from "../../desk/journal/journal.ts";
import { journalObserver, objectsIn, withJournal } from "../../desk/journal/journal-feed.ts";
import type { Pipeline } from "../pipeline.ts";
import type { ProcessContext, ProcessPart } from "../parts/process-part.ts";
import { type DeskOptions, deskGuest } from "./desk-guest.ts";

/**
 * The journal of changes in a running server. It is created before the discovery server, which it observes, and the pages
 * of the desk after it.
 */
export class Desk {
  readonly journal: Journal;
  readonly #context: ProcessContext;
  readonly #followers: (() => void)[] = [];
  #discovery: Pick<DiscoveryServer, "queued"> | undefined;

  constructor(context: ProcessContext) {
    const { clock } = context;
    this.#context = context;
    this.journal = new Journal({
      now: () => clock.now(),
      start: Date.now().toString(36),
      isDispatched: () => (this.#discovery?.queued ?? 0) === 0,
    });
  }

  /** Records the commits of Pilot's graph. Must listen before the discovery server does. */
  follow({ pilot, environment }: Pick<Pipeline, "pilot" | "environment">): void {
    const { supervisor } = this.#context;
    pilot.onCommit(
      supervisor.guard("desk", (commit) => this.journal.committed(commit.sequence, objectsIn(commit, environment))),
    );
  }

  /** The observer, and the journal after it. */
  observing(observer: XdsObserver, supervisor: ProcessContext["supervisor"]): XdsObserver {
    const both = withJournal(observer, supervisor.guardAll("desk", journalObserver(this.journal)));
    const proxiesChanged = supervisor.guard("desk", () => {
      for (const follower of this.#followers) follower();
    });
    return {
      ...both,
      connected(client) {
        both.connected(client);
        proxiesChanged();
      },
      disconnected(node, reason) {
        both.disconnected(node, reason);
        proxiesChanged();
      },
    };
  }

  /** A push of these commits follows. */
  requested(request: PushRequest): void {
    this.#context.supervisor.run("desk", () => {
      const endpointsOnly = isEndpointOnly(request);
      for (const sequence of request.commits ?? []) this.journal.requested(sequence, { endpointsOnly });
    });
  }

  /** From now on the journal knows which pushes have reached the streams. */
  attach(discovery: Pick<DiscoveryServer, "queued">): void {
    this.#discovery = discovery;
  }

  /** The desk on the HTTP port. */
  part(options: DeskOptions): ProcessPart {
    const { guest, hub } = deskGuest(this.#context, this.journal, options);
    this.#followers.push(() => hub.touch("proxies", "overview"));
    return { components: [], emitter: { name: "desk", awaited: () => [] }, guest };
  }
}

/** The observer of the discovery server: with the journal, if there is a desk. */
export function observedBy(
  desk: Desk | undefined,
  observer: XdsObserver,
  supervisor: ProcessContext["supervisor"],
): XdsObserver {
  return desk === undefined ? observer : desk.observing(observer, supervisor);
}
