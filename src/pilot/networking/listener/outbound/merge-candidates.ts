import type { ConfigId } from "../../../../config/config.ts";
import type { Conflict } from "../../../model/conflict.ts";
import { isHttp, type Protocol } from "../../../model/service/service.ts";
import { chainMatchId, matchesAll } from "../chain-match.ts";
import { candidateName, type ListenerCandidate } from "./listener-candidate.ts";
import { type ChainContext, chainsOf, type OutboundChain, routesName, tcpChainsOf } from "./outbound-chain.ts";

/** One outbound listener, before it is encoded. */
export interface OutboundListener {
  readonly name: string;
  readonly bind: string;
  readonly port: number;
  readonly bound: boolean;
  readonly chains: readonly OutboundChain[];
  /** All services of the listener, and all objects that affect it. */
  readonly owners: readonly ConfigId[];
  /** Candidates that are ignored here, wholly or in part. */
  readonly conflicts: readonly Conflict[];
}

/** The protocols that a listener can distinguish. `auto` uses protocol detection. */
type ListenerClass = "http" | "tcp" | "auto";

/**
 * How a candidate joins an existing listener:
 * - `share`: routes separate the requests, so nothing is added;
 * - `merge`: adds its chains, as far as matches can separate connections;
 * - `merge-tcp`: adds its chains except the HTTP chain, which exists already;
 * - `sniff`: adds all its chains, and enables protocol detection;
 * - `replace`: rebuilds the listener for the new candidate alone.
 */
type Resolution = "share" | "merge" | "merge-tcp" | "sniff" | "replace";

/** By the class of the listener, then of the new candidate. */
const resolutions: Readonly<Record<ListenerClass, Readonly<Record<ListenerClass, Resolution>>>> = {
  http: { http: "share", tcp: "sniff", auto: "replace" },
  tcp: { http: "sniff", tcp: "merge", auto: "sniff" },
  auto: { http: "share", tcp: "merge", auto: "merge-tcp" },
};

/** The server speaks first: a listener that waits for the client's first bytes would wait for ever. */
const serverFirst: ReadonlySet<Protocol> = new Set(["Mongo", "MySQL"]);

/** Merges all candidates into one listener. Their order decides conflicts. */
export function mergeCandidates(
  [first, ...others]: readonly [ListenerCandidate, ...ListenerCandidate[]],
  context: ChainContext,
): OutboundListener {
  const draft = new ListenerDraft(first, context);
  for (const candidate of others) draft.add(candidate);
  return draft.finish();
}

class ListenerDraft {
  readonly #context: ChainContext;
  readonly #name: string;
  #first: ListenerCandidate;
  /** The protocol of the whole listener. */
  #protocol: Protocol = "auto";
  /** By match: Envoy rejects two chains with equal matches. */
  readonly #chains = new Map<string, OutboundChain>();
  readonly #owners = new Set<ConfigId>();
  readonly #conflicts: Conflict[] = [];

  constructor(first: ListenerCandidate, context: ChainContext) {
    this.#context = context;
    this.#name = candidateName(first);
    this.#first = first;
    this.#begin(first);
  }

  add(candidate: ListenerCandidate): void {
    // An egress listener with its own port excludes services of the egress listener for all other ports.
    if (this.#first.egress.port !== undefined && candidate.egress.port === undefined) return;
    const { protocol } = candidate.port;
    const serverSpeaksFirst = serverFirst.has(protocol) || serverFirst.has(this.#protocol);
    if (serverSpeaksFirst && protocol !== this.#protocol)
      return this.#lose(candidate, this.#first, "where a server speaks first nothing else fits");
    switch (resolutions[classOf(this.#protocol)][classOf(protocol)]) {
      case "share":
        return this.#share(candidate);
      case "merge":
        this.#merge(candidate, chainsOf(candidate, this.#context));
        return;
      case "merge-tcp":
        this.#merge(candidate, tcpChainsOf(candidate, this.#context));
        return;
      case "sniff":
        if (this.#merge(candidate, chainsOf(candidate, this.#context))) this.#protocol = "auto";
        return;
      case "replace":
        for (const owner of this.#owners)
          this.#conflict(owner, candidate.service.owner, "what has to be detected takes over");
        return this.#begin(candidate);
    }
  }

  finish(): OutboundListener {
    const { bind, port, bound } = this.#first;
    const { owner } = this.#context.scope;
    const chains = [...this.#chains.values()];
    return {
      name: this.#name,
      bind,
      port: port.number,
      bound,
      chains,
      owners: [...this.#owners, ...chains.flatMap((chain) => chain.owners), ...(owner === undefined ? [] : [owner])],
      conflicts: this.#conflicts,
    };
  }

  #begin(candidate: ListenerCandidate): void {
    this.#first = candidate;
    this.#chains.clear();
    this.#owners.clear();
    this.#merge(candidate, chainsOf(candidate, this.#context));
    const { protocol } = candidate.port;
    // HTTP on all addresses leaves room for everything else that may arrive there.
    const sniffs = isHttp(protocol) && !this.#chains.values().some(({ match }) => matchesAll(match));
    this.#protocol = sniffs ? "auto" : protocol;
  }

  /** The routes of a port serve all of its services. The routes of a single service do not. */
  #share(candidate: ListenerCandidate): void {
    const routes = routesName(candidate, this.#context.client);
    const served = this.#chains.values().some(({ action }) => action.type === "http" && action.routes === routes);
    if (served) this.#owners.add(candidate.service.owner);
    else this.#lose(candidate, this.#first, "the older service has the routes of the address");
  }

  /** Adds the chains for connections that no chain matches yet. False if there are none. */
  #merge(candidate: ListenerCandidate, wanted: readonly OutboundChain[]): boolean {
    const before = this.#chains.size;
    const taken = wanted.map(({ match }) => this.#chains.get(chainMatchId(match))).find((chain) => chain !== undefined);
    for (const chain of wanted) {
      const id = chainMatchId(chain.match);
      if (!this.#chains.has(id)) this.#chains.set(id, chain);
    }
    if (taken !== undefined)
      this.#lose(candidate, taken, "the older service has connections that cannot be told apart");
    const added = this.#chains.size > before;
    if (added) this.#owners.add(candidate.service.owner);
    return added;
  }

  #lose(loser: Pick<ListenerCandidate, "service">, winner: Pick<ListenerCandidate, "service">, reason: string): void {
    if (loser.service !== winner.service) this.#conflict(loser.service.owner, winner.service.owner, reason);
  }

  #conflict(loser: ConfigId, winner: ConfigId, reason: string): void {
    this.#conflicts.push({ type: "outbound-listener", about: this.#name, winner, losers: [loser], reason });
  }
}

function classOf(protocol: Protocol): ListenerClass {
  if (protocol === "auto") return "auto";
  return isHttp(protocol) ? "http" : "tcp";
}
