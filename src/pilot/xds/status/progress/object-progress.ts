import { appliedVersion } from "../../../../config/applied-version.ts";
import type { Config, ConfigId } from "../../../../config/config.ts";
import { compareTexts } from "../../../../lib/compare.ts";
import type { Connection } from "../../../../xds/connection.ts";
import { proxyClassOf } from "../../../model/proxy/proxy-class.ts";
import type { Proxy } from "../../../model/proxy/proxy.ts";
import type { PushRequest } from "../../../model/push-request.ts";
import type { QuarantineReport } from "../../quarantine/report.ts";
import type { ObjectRollout } from "../../rollout/object-rollout.ts";
import { awaitedRollout, hasContent, waveAnswersOf } from "./awaited-rollout.ts";
import type { ContentLedger } from "./content-ledger.ts";
import type { AwaitedObject, MissingAnswer } from "./missing-answer.ts";
import { type StreamProgress, streamProgressOf } from "./missing-answers.ts";
import type { Goal, MissingProxy, ObjectReport, ObjectState } from "./object-report.ts";
import type { ProxySelector } from "./proxy-selector.ts";

/** The parts of a server that the progress of an object depends on. */
export interface ProgressFacts {
  readonly ledger: ContentLedger;
  readonly connections: () => Iterable<Connection<Proxy>>;
  readonly queuedFor: (connection: Connection<Proxy>) => PushRequest | undefined;
  /** The object in use, as Pilot has it. */
  readonly currentOf: (id: ConfigId) => Config | undefined;
  readonly quarantine: () => QuarantineReport | undefined;
  /** The rollout that holds the newest content of an object back. */
  readonly rolloutOf: (id: ConfigId) => ObjectRollout | undefined;
  /** Whether the server ignores objects of this kind. */
  readonly isExcluded: (id: ConfigId) => boolean;
  /** How long the stream has been silent, in both directions. */
  readonly silentMs: (connection: Connection<Proxy>) => number;
}

/** Which state of which object is awaited. */
export interface Question {
  readonly id: ConfigId;
  readonly goal: Goal;
  /** The version or the content hash of the awaited content. Undefined for the content that the server has. */
  readonly version?: string | undefined;
  /** Only these proxies count. Empty: all proxies count. */
  readonly proxies: readonly ProxySelector[];
  /** The nodes of proxies that must be connected. */
  readonly expected: readonly string[];
  /** Whether an object that reaches no proxy counts as live. */
  readonly allowNone: boolean;
}

/** The progress of one object at one moment. */
export class ObjectProgress {
  readonly question: Question;
  readonly #facts: ProgressFacts;
  readonly #config: Config | undefined;
  readonly #rollout: ObjectRollout | undefined;
  readonly #quarantine: QuarantineReport | undefined;
  readonly #awaited: AwaitedObject;
  readonly #waits: boolean;
  readonly #changedAt: number | undefined;

  constructor(question: Question, facts: ProgressFacts) {
    const { id, goal } = question;
    this.question = question;
    this.#facts = facts;
    const current = facts.currentOf(id);
    this.#rollout = awaitedRollout(facts.rolloutOf(id), current, question.version);
    this.#config = this.#rollout === undefined ? current : this.#rollout.next;
    this.#quarantine = facts.quarantine();
    const { waits, pushes, changedAt } = facts.ledger.of(id);
    this.#waits = waits;
    this.#changedAt = changedAt;
    const { refusals = [], released = [], search } = this.#quarantine ?? {};
    const isQuarantined =
      search !== undefined || refusals.some((refusal) => refusal.id === id) || released.some((each) => each.id === id);
    this.#awaited = { id, pushes, isDeleted: goal === "deleted", isQuarantined };
  }

  /** The connections that count. */
  *connections(): Generator<Connection<Proxy>> {
    const { proxies } = this.question;
    for (const connection of this.#facts.connections()) {
      const { client } = connection;
      // Clients that request status are no proxies.
      if (client.generator === "event") continue;
      if (proxies.length === 0 || proxies.some(({ selects }) => selects(client))) yield connection;
    }
  }

  progressOf(connection: Connection<Proxy>): StreamProgress {
    const { queuedFor, silentMs } = this.#facts;
    const kept = this.#keptFrom(connection.client);
    const facts = { queued: queuedFor(connection), silentMs: silentMs(connection) };
    const found = streamProgressOf(connection, this.#awaited, facts);
    const missing = this.#rollout && waveAnswersOf(this.#rollout, connection.client.nodeId, found.missing);
    const progress = missing === undefined ? found : { ...found, missing };
    return kept === undefined ? progress : { ...progress, missing: [...progress.missing, kept] };
  }

  report(): ObjectReport {
    const { id, goal } = this.question;
    const streams = [...this.connections()].map((connection) => [connection, this.progressOf(connection)] as const);
    const missing = streams.flatMap(([{ client }, progress]) =>
      progress.missing.map(
        (each): MissingProxy => ({
          node: client.nodeId,
          namespace: client.namespace,
          ...(this.#changedAt !== undefined && { since: this.#changedAt }),
          ...each,
        }),
      ),
    );
    const reached = streams.filter(([, progress]) => progress.resources > 0 || progress.missing.length > 0);
    const all = [...missing, ...this.#absent()].toSorted((a, b) => compareTexts(sortKeyOf(a), sortKeyOf(b)));
    const state = this.#stateOf(all, reached.length);
    const { version = "", origin } = this.#config ?? {};
    return {
      id,
      goal,
      state,
      ...this.#verdictOn(state, all),
      version,
      contentHash: this.#config === undefined ? "" : appliedVersion(this.#config),
      reference: origin?.reference ?? "",
      source: origin?.source ?? "",
      waits: this.#waits && this.#rollout === undefined,
      proxies: {
        connected: streams.length,
        reached: reached.length,
        live: reached.filter(([{ client }, { missing: open }]) => open.length === 0 && this.#isReached(client)).length,
      },
      missing: all,
      rollout: this.#rollout,
    };
  }

  /** Whether the newest content is meant for the proxy already. */
  #isReached({ nodeId }: Proxy): boolean {
    return this.#rollout === undefined || this.#rollout.hasAccepted(nodeId);
  }

  #stateOf(missing: readonly MissingAnswer[], reached: number): ObjectState {
    const { id, goal, version } = this.question;
    const { isExcluded, ledger } = this.#facts;
    if (goal === "deleted") {
      if (this.#config !== undefined) return "present";
      if (this.#rollout !== undefined) return this.#stagedState(this.#rollout);
      return this.#waits || missing.length > 0 ? "pending" : "deleted";
    }
    if (isExcluded(id)) return "excluded";
    const isOther = version !== undefined && this.#config !== undefined && !hasContent(this.#config, version);
    if (isOther) return "other content";
    if (this.#rollout !== undefined) return this.#stagedState(this.#rollout);
    if (this.#config === undefined) return "unknown";
    if (this.#waits) return "pending";
    if (missing.some(({ isFinal }) => isFinal)) return "rejected";
    if (missing.length > 0) return "pending";
    return reached > 0 || ledger.reachedProxies(id) ? "live" : "unused";
  }

  #stagedState({ phase }: ObjectRollout): "staged" | "halted" {
    return phase === "halted" ? "halted" : "staged";
  }

  #verdictOn(state: ObjectState, missing: readonly MissingAnswer[]): Pick<ObjectReport, "isMet" | "isFinal"> {
    const { goal, allowNone } = this.question;
    if (goal === "rejected") {
      const isTakenBack = state === "halted" && this.#rollout?.cause === "rejection";
      const isMet =
        state === "rejected" || isTakenBack || missing.some(({ why }) => why === "rejected" || why === "quarantined");
      return { isMet, isFinal: isMet || ["live", "halted", "excluded"].includes(state) };
    }
    const isMet = state === "deleted" || state === "live" || (state === "unused" && allowNone);
    return { isMet, isFinal: isMet || ["rejected", "halted", "excluded"].includes(state) };
  }

  /** Proxies that must be connected, and are not. */
  #absent(): readonly MissingProxy[] {
    const { goal, proxies, expected } = this.question;
    const clients = Array.from(this.connections(), ({ client }) => client);
    const nodes = new Set(clients.map(({ nodeId }) => nodeId));
    const named = goal === "acked" ? proxies.filter(({ selects }) => !clients.some(selects)) : [];
    const absent = [...named.map(({ text }) => text), ...expected.filter((node) => !nodes.has(node))];
    const about = { namespace: "", type: "", resources: [], why: "not connected", isFinal: false } as const;
    return absent.map((node) => ({ ...about, node }));
  }

  /** The object is kept away from a proxy, or the proxy is used to find out whether it should be. */
  #keptFrom({ nodeId, ...client }: Proxy): MissingAnswer | undefined {
    const { refusals = [], search } = this.#quarantine ?? {};
    const about = { type: "", resources: [] };
    if (search?.node === nodeId) {
      return { ...about, why: "unacknowledged", message: "a search for refused objects runs on it", isFinal: false };
    }
    if (refusals.length === 0) return undefined;
    const { id: own } = proxyClassOf({ nodeId, ...client });
    const kept = refusals.find(
      ({ id, classId, node, arrivedAt }) =>
        id === this.question.id &&
        (classId === own || (node === nodeId && classId.startsWith(own))) &&
        !arrivedAt.includes(nodeId),
    );
    if (kept === undefined) return undefined;
    const isFinal = kept.state.type === "refused" && kept.version === this.#config?.version;
    return { ...about, why: "quarantined", since: kept.since, message: kept.reason, isFinal };
  }
}

function sortKeyOf({ node, type }: MissingProxy): string {
  return `${node}\0${type}`;
}
