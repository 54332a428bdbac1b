import type { Answer, OnChange, OpenSession, Session, SessionEvent } from "../../galley/source/zookeeper/session.ts";

type Mutation =
  | { readonly type: "put"; readonly path: string; readonly data: string }
  | { readonly type: "delete"; readonly path: string };

/**
 * An ensemble in memory that does nothing by itself: clients connect, servers learn of what was written, and answers
 * arrive when a test says so. Each session talks to a server that has seen a part of all writes, as a lagging one has.
 */
export class FakeZooKeeper {
  readonly #log: Mutation[] = [];
  readonly #sessions = new Set<FakeSession>();
  /** Nodes that nobody may read. */
  readonly forbidden = new Set<string>();

  readonly open: OpenSession = (onEvent, seen) => {
    const session = new FakeSession(onEvent, numberIn(seen), {
      log: this.#log,
      forbidden: this.forbidden,
      onClose: () => this.#sessions.delete(session),
    });
    this.#sessions.add(session);
    return session;
  };

  /** How many clients want a connection, or have one. */
  get sessions(): number {
    return this.#sessions.size;
  }

  /** Writes a node, and those above it that are not there. */
  put(path: string, data = ""): void {
    const above = path.slice(0, path.lastIndexOf("/"));
    if (above !== "" && !this.has(above)) this.put(above);
    this.#log.push({ type: "put", path, data });
  }

  /** Deletes a node and all below it. */
  delete(path: string): void {
    for (const name of this.children(path)) this.delete(`${path}/${name}`);
    if (this.has(path)) this.#log.push({ type: "delete", path });
  }

  has(path: string): boolean {
    return this.#log.findLast((mutation) => mutation.path === path)?.type === "put";
  }

  children(path: string): readonly string[] {
    return childrenIn(treeOf(this.#log), path);
  }

  /** Forgets everything, as an ensemble does that is set up anew. */
  wipe(): void {
    this.disconnect();
    this.#log.length = 0;
  }

  /** Connects whoever waits for it, to a server that has yet to learn of as many writes. */
  connect(lag = 0): void {
    for (const session of this.#sessions) session.connect(lag);
  }

  /** Tells the servers of as many writes as they have not heard of. */
  replicate(writes = Number.POSITIVE_INFINITY): void {
    for (const session of this.#sessions) session.replicate(writes);
  }

  /** Lets as many answers and watches arrive, in their order. */
  deliver(count = Number.POSITIVE_INFINITY): void {
    for (const session of this.#sessions) session.deliver(count);
  }

  disconnect(): void {
    for (const session of this.#sessions) session.end("disconnected");
  }

  /** Ends the sessions that there are, connected or not. */
  expire(): void {
    for (const session of this.#sessions) session.end("expired");
  }
}

interface Ensemble {
  readonly log: readonly Mutation[];
  readonly forbidden: ReadonlySet<string>;
  readonly onClose: () => void;
}

class FakeSession implements Session {
  readonly #onEvent: (event: SessionEvent) => void;
  readonly #ensemble: Ensemble;
  readonly #wire: { readonly arrive: () => void; readonly lose: () => void }[] = [];
  /** What is watched, as `children PATH`, `data PATH` or `exists PATH`. */
  #watches = new Map<string, Set<OnChange>>();
  #tree = new Map<string, string>();
  /** How many writes the server has heard of, and of how many the client has seen the effects. */
  #applied = 0;
  #seen: number;
  #state: "new" | "waiting" | "connected" | "over" = "new";

  constructor(onEvent: (event: SessionEvent) => void, seen: number, ensemble: Ensemble) {
    this.#onEvent = onEvent;
    this.#seen = seen;
    this.#ensemble = ensemble;
  }

  get seen(): Uint8Array {
    return Uint8Array.from(String(this.#seen), Number);
  }

  children(path: string, onChange?: OnChange): Promise<Answer<readonly string[]>> {
    return this.#answer(path, () => {
      if (!this.#tree.has(path)) return { type: "missing" };
      this.#watch("children", path, onChange);
      return { type: "found", value: childrenIn(this.#tree, path) };
    });
  }

  data(path: string, onChange?: OnChange): Promise<Answer<string>> {
    return this.#answer(path, () => {
      const value = this.#tree.get(path);
      if (value === undefined) return { type: "missing" };
      this.#watch("data", path, onChange);
      return { type: "found", value };
    });
  }

  exists(path: string, onChange?: OnChange): Promise<Answer<true>> {
    return this.#answer(path, () => {
      this.#watch("exists", path, onChange);
      return this.#tree.has(path) ? { type: "found", value: true } : { type: "missing" };
    });
  }

  close(): void {
    this.#over();
    this.#ensemble.onClose();
  }

  connect(lag: number): void {
    const { log } = this.#ensemble;
    // No server lets in whoever has seen more than there is.
    if ((this.#state !== "new" && this.#state !== "waiting") || this.#seen > log.length) return;
    this.#state = "connected";
    this.#applied = Math.max(this.#seen, log.length - lag);
    this.#tree = treeOf(log.slice(0, this.#applied));
    this.#onEvent("connected");
  }

  replicate(writes: number): void {
    if (this.#state !== "connected") return;
    const news = this.#ensemble.log.slice(this.#applied).slice(0, writes);
    for (const mutation of news) {
      this.#applied += 1;
      this.#apply(mutation);
    }
  }

  deliver(count: number): void {
    for (const { arrive } of this.#wire.splice(0, Math.min(count, this.#wire.length))) arrive();
  }

  end(event: "disconnected" | "expired"): void {
    if (this.#state !== "connected" && (event === "disconnected" || this.#state !== "waiting")) return;
    this.#lose();
    this.#state = event === "expired" ? "over" : "waiting";
    this.#onEvent(event);
  }

  #over(): void {
    this.#lose();
    this.#state = "over";
  }

  #lose(): void {
    this.#watches = new Map();
    for (const { lose } of this.#wire.splice(0)) lose();
  }

  #answer<T>(path: string, read: () => Answer<T>): Promise<Answer<T>> {
    if (this.#state !== "connected") return Promise.resolve({ type: "lost" });
    const seen = this.#applied;
    const answer: Answer<T> = this.#ensemble.forbidden.has(path) ? { type: "refused", reason: "NO_AUTH" } : read();
    return new Promise((resolve) => {
      const arrive = () => {
        this.#seen = Math.max(this.#seen, seen);
        resolve(answer);
      };
      this.#wire.push({ arrive, lose: () => resolve({ type: "lost" }) });
    });
  }

  #watch(what: string, path: string, onChange: OnChange | undefined): void {
    if (onChange === undefined) return;
    const key = `${what} ${path}`;
    this.#watches.set(key, (this.#watches.get(key) ?? new Set()).add(onChange));
  }

  #apply(mutation: Mutation): void {
    const { type, path } = mutation;
    const isNew = !this.#tree.has(path);
    if (mutation.type === "put") this.#tree.set(path, mutation.data);
    else this.#tree.delete(path);
    this.#fire(`exists ${path}`);
    if (!isNew) this.#fire(`data ${path}`);
    if (type === "delete") this.#fire(`children ${path}`);
    if (type === "delete" || isNew) this.#fire(`children ${path.slice(0, path.lastIndexOf("/"))}`);
  }

  #fire(key: string): void {
    const watches = this.#watches.get(key) ?? [];
    this.#watches.delete(key);
    for (const onChange of watches) this.#wire.push({ arrive: onChange, lose: () => {} });
  }
}

function treeOf(log: readonly Mutation[]): Map<string, string> {
  const tree = new Map<string, string>();
  for (const mutation of log) {
    if (mutation.type === "put") tree.set(mutation.path, mutation.data);
    else tree.delete(mutation.path);
  }
  return tree;
}

function childrenIn(tree: ReadonlyMap<string, string>, path: string): readonly string[] {
  const below = [...tree.keys()]
    .filter((node) => node.startsWith(`${path}/`))
    .map((node) => node.slice(path.length + 1));
  return below.filter((name) => !name.includes("/"));
}

function numberIn(seen: Uint8Array | undefined): number {
  return seen === undefined ? 0 : Number([...seen].join(""));
}
