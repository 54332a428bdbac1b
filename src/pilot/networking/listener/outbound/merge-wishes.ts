import type { ConfigId } from "../../../../config/config.ts";
import type { Conflict } from "../../../model/conflict.ts";
import { isHttp } from "../../../model/service/protocol-class.ts";
import type { Protocol } from "../../../model/service/service.ts";
import { chainMatchId, matchesAll } from "../chain-match.ts";
import type { ListenerWish } from "./listener-wish.ts";
import { wishedListener } from "./listener-wish.ts";
import type { ChainContext, OutboundChain } from "./outbound-chain.ts";
import { chainsOf, routesName, tcpChainsOf } from "./outbound-chain.ts";

/** One outbound listener, before it is encoded. */
export interface OutboundListener {
  readonly name: string;
  readonly bind: string;
  readonly port: number;
  readonly bound: boolean;
  readonly chains: readonly OutboundChain[];
  /** Of all services that are served here, and of all that decided how. */
  readonly owners: readonly ConfigId[];
  /** Who is not served here, or not wholly. */
  readonly conflicts: readonly Conflict[];
}

/** What a listener can tell apart. `auto` looks at the first bytes of a connection. */
type ListenerClass = "http" | "tcp" | "auto";

/**
 * What becomes of a wish for a listener that is there already:
 * - `share`: requests are told apart by the routes, there is nothing to add;
 * - `merge`: its chains are added, as far as connections can be told apart;
 * - `merge-tcp`: the same without the one for HTTP, which is there already;
 * - `sniff`: all its chains are added, and from now on the first bytes decide;
 * - `replace`: the listener is made anew, for the newcomer alone.
 */
type Resolution = "share" | "merge" | "merge-tcp" | "sniff" | "replace";

/** By what is there, then by what comes. */
const resolutions: Readonly<Record<ListenerClass, Readonly<Record<ListenerClass, Resolution>>>> = {
  http: { http: "share", tcp: "sniff", auto: "replace" },
  tcp: { http: "sniff", tcp: "merge", auto: "sniff" },
  auto: { http: "share", tcp: "merge", auto: "merge-tcp" },
};

/** The server speaks first: a listener that waits for the client's first bytes would wait for ever. */
const serverFirst: ReadonlySet<Protocol> = new Set(["Mongo", "MySQL"]);

/** Makes one listener of all wishes for it. Their order decides who wins. */
export function mergeWishes(
  [first, ...others]: readonly [ListenerWish, ...ListenerWish[]],
  context: ChainContext,
): OutboundListener {
  const draft = new ListenerDraft(first, context);
  for (const wish of others) draft.add(wish);
  return draft.finish();
}

class ListenerDraft {
  readonly #context: ChainContext;
  readonly #name: string;
  #first: ListenerWish;
  /** What it speaks as a whole. */
  #protocol: Protocol = "auto";
  /** By what they match: connections that Envoy could not tell apart can be taken but once. */
  readonly #chains = new Map<string, OutboundChain>();
  readonly #owners = new Set<ConfigId>();
  readonly #conflicts: Conflict[] = [];

  constructor(first: ListenerWish, context: ChainContext) {
    this.#context = context;
    this.#name = wishedListener(first);
    this.#first = first;
    this.#begin(first);
  }

  add(wish: ListenerWish): void {
    // What an author put on a port of its own is not for the services of the listener for all other ports.
    if (this.#first.egress.port !== undefined && wish.egress.port === undefined) return;
    const { protocol } = wish.port;
    const serverSpeaksFirst = serverFirst.has(protocol) || serverFirst.has(this.#protocol);
    if (serverSpeaksFirst && protocol !== this.#protocol)
      return this.#lose(wish, this.#first, "where a server speaks first nothing else fits");
    switch (resolutions[classOf(this.#protocol)][classOf(protocol)]) {
      case "share":
        return this.#share(wish);
      case "merge":
        this.#merge(wish, chainsOf(wish, this.#context));
        return;
      case "merge-tcp":
        this.#merge(wish, tcpChainsOf(wish, this.#context));
        return;
      case "sniff":
        if (this.#merge(wish, chainsOf(wish, this.#context))) this.#protocol = "auto";
        return;
      case "replace":
        for (const owner of this.#owners)
          this.#conflict(owner, wish.service.owner, "what has to be detected takes over");
        return this.#begin(wish);
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

  #begin(wish: ListenerWish): void {
    this.#first = wish;
    this.#chains.clear();
    this.#owners.clear();
    this.#merge(wish, chainsOf(wish, this.#context));
    const { protocol } = wish.port;
    // HTTP on all addresses leaves room for everything else that may arrive there.
    const sniffs = isHttp(protocol) && !this.#chains.values().some(({ match }) => matchesAll(match));
    this.#protocol = sniffs ? "auto" : protocol;
  }

  /** The routes of a port serve all of its services; those that one service has for itself do not. */
  #share(wish: ListenerWish): void {
    const routes = routesName(wish, this.#context.client);
    const served = this.#chains.values().some(({ action }) => action.type === "http" && action.routes === routes);
    if (served) this.#owners.add(wish.service.owner);
    else this.#lose(wish, this.#first, "the older service has the routes of the address");
  }

  /** Adds the chains for connections that nobody takes yet. False if there are none. */
  #merge(wish: ListenerWish, wanted: readonly OutboundChain[]): boolean {
    const before = this.#chains.size;
    const taken = wanted.map(({ match }) => this.#chains.get(chainMatchId(match))).find((chain) => chain !== undefined);
    for (const chain of wanted) {
      const id = chainMatchId(chain.match);
      if (!this.#chains.has(id)) this.#chains.set(id, chain);
    }
    if (taken !== undefined) this.#lose(wish, taken, "the older service has connections that cannot be told apart");
    const added = this.#chains.size > before;
    if (added) this.#owners.add(wish.service.owner);
    return added;
  }

  #lose(loser: Pick<ListenerWish, "service">, winner: Pick<ListenerWish, "service">, reason: string): void {
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
