import type { PushEnd } from "../../xds/stream/push-progress.ts";
import { Latencies } from "./latencies.ts";

/** The largest number of different rejections, and of names in each, that one push keeps. */
const maxRejections = 20;
const maxNames = 10;

export interface PushFacts {
  readonly number: number;
  /** In the clock's milliseconds, like all times of the journal. */
  readonly at: number;
  readonly reasons: readonly string[];
  readonly debouncedMs: number;
  readonly buildMs: number;
}

export interface TypeTotals {
  readonly responses: number;
  readonly resources: number;
  readonly removed: number;
  readonly bytes: number;
}

/** A rejection with the words of the proxy, and the objects behind the rejected resources. */
export interface NotedRejection {
  readonly type: string;
  readonly message: string;
  readonly resources: readonly string[];
  /** `Kind/namespace/name`. */
  readonly objects: readonly string[];
}

interface CountedRejection extends NotedRejection {
  readonly proxies: number;
  readonly nodes: readonly string[];
}

/** One push on its way to the proxies: counters, and no list of proxies. */
export class RecordedPush {
  readonly facts: PushFacts;
  /** The ids of the changes in it. */
  readonly changes: string[] = [];
  readonly types = new Map<string, TypeTotals>();
  /** From the push to the acknowledgement of a proxy. */
  readonly latencies = new Latencies();
  readonly #rejections = new Map<string, CountedRejection>();
  #moreRejections = 0;
  #owed = 0;
  readonly #ended = { acknowledged: 0, rejected: 0, disconnected: 0 };
  #lastAckAt: number | undefined;

  constructor(facts: PushFacts) {
    this.facts = facts;
  }

  /** Proxies that the push concerns. */
  get owed(): number {
    return this.#owed;
  }

  get ended(): Readonly<Record<"acknowledged" | "rejected" | "disconnected", number>> {
    return this.#ended;
  }

  get behind(): number {
    const { acknowledged, rejected, disconnected } = this.#ended;
    return this.#owed - acknowledged - rejected - disconnected;
  }

  /** The time of the last acknowledgement; undefined before the first. */
  get lastAckAt(): number | undefined {
    return this.#lastAckAt;
  }

  get rejections(): readonly CountedRejection[] {
    return [...this.#rejections.values()];
  }

  /** All different rejections, also those that were not kept. */
  get rejectionCount(): number {
    return this.#rejections.size + this.#moreRejections;
  }

  owe(): void {
    this.#owed++;
  }

  end(how: PushEnd, now: number): void {
    if (how === "unneeded") {
      this.#owed--;
      return;
    }
    this.#ended[how]++;
    if (how !== "acknowledged") return;
    this.latencies.add(now - this.facts.at);
    this.#lastAckAt = now;
  }

  respond(type: string, { resources, removed, bytes }: Omit<TypeTotals, "responses">): void {
    const before = this.types.get(type) ?? { responses: 0, resources: 0, removed: 0, bytes: 0 };
    this.types.set(type, {
      responses: before.responses + 1,
      resources: before.resources + resources,
      removed: before.removed + removed,
      bytes: before.bytes + bytes,
    });
  }

  reject(node: string, rejection: NotedRejection): void {
    const { type, message, resources, objects } = rejection;
    const key = `${type} ${message}`;
    const known = this.#rejections.get(key);
    if (known === undefined && this.#rejections.size >= maxRejections) {
      this.#moreRejections++;
      return;
    }
    const { proxies = 0, nodes = [] } = known ?? {};
    if (nodes.includes(node)) return;
    this.#rejections.set(key, {
      type,
      message,
      resources: known?.resources ?? resources.slice(0, maxNames),
      objects: known?.objects ?? objects.slice(0, maxNames),
      proxies: proxies + 1,
      nodes: nodes.length < maxNames ? [...nodes, node] : nodes,
    });
  }
}
