import type {
  NodeAnswer,
  OnChange,
  OnTreeChanges,
  OpenSession,
  Session,
  SessionEvent,
  TreeChange,
} from "../../galley/source/zookeeper/session.ts";

type Mutation =
  | { readonly type: "put"; readonly path: string; readonly data: string }
  | { readonly type: "delete"; readonly path: string };

/**
 * An ensemble in memory that does nothing by itself. The test decides when clients connect, when servers learn of
 * writes, and when answers arrive. Each session talks to a server that has seen a part of all writes, like a lagging
 * one.
 */
export class FakeZooKeeper {
  readonly #log: Mutation[] = [];
  readonly #sessions = new Set<FakeSession>();
  /** Nodes without read permission, as are the nodes directly below them. Watches of trees do not report them. */
  readonly forbidden = new Set<string>();
  /** The number of answered questions about nodes. */
  reads = 0;
  readonly #isOld: boolean;

  /** Old servers cannot watch trees: they refuse, and close the connection. */
  constructor({ isOld = false }: { readonly isOld?: boolean } = {}) {
    this.#isOld = isOld;
  }

  readonly open: OpenSession = (onEvent, seen = 0n) => {
    const session = new FakeSession(onEvent, Number(seen), {
      log: this.#log,
      forbidden: this.forbidden,
      isOld: this.#isOld,
      onRead: () => {
        this.reads += 1;
      },
      onClose: () => this.#sessions.delete(session),
    });
    this.#sessions.add(session);
    return session;
  };

  /** The number of clients that have a connection or wait for one. */
  get sessions(): number {
    return this.#sessions.size;
  }

  /** Writes a node, and its missing parents. */
  put(path: string, data = ""): void {
    const above = path.slice(0, path.lastIndexOf("/"));
    if (above !== "" && !this.has(above)) this.put(above);
    this.#log.push({ type: "put", path, data });
  }

  /** Deletes a node and all nodes below it. */
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

  /** Forgets everything, like an ensemble that is set up anew. */
  wipe(): void {
    this.disconnect();
    this.#log.length = 0;
  }

  /** Connects waiting clients to a server that lags behind by `lag` writes. */
  connect(lag = 0): void {
    for (const session of this.#sessions) session.connect(lag);
  }

  /** Replicates up to `writes` missing writes to the servers. */
  replicate(writes = Number.POSITIVE_INFINITY): void {
    for (const session of this.#sessions) session.replicate(writes);
  }

  /** Delivers up to `count` answers and watch events, in order. */
  deliver(count = Number.POSITIVE_INFINITY): void {
    for (const session of this.#sessions) session.deliver(count);
  }

  disconnect(): void {
    for (const session of this.#sessions) session.end("disconnected");
  }

  /** Expires all current sessions, connected or not. */
  expire(): void {
    for (const session of this.#sessions) session.end("expired");
  }
}

interface Ensemble {
  readonly log: readonly Mutation[];
  readonly forbidden: ReadonlySet<string>;
  readonly isOld: boolean;
  readonly onRead: () => void;
  readonly onClose: () => void;
}

class FakeSession implements Session {
  readonly #onEvent: (event: SessionEvent) => void;
  readonly #ensemble: Ensemble;
  readonly #wire: { readonly arrive: () => void; readonly lose: () => void }[] = [];
  /** The watches, as `children PATH`, `data PATH` or `exists PATH`. */
  #watches = new Map<string, Set<OnChange>>();
  #treeWatches = new Map<string, OnTreeChanges>();
  #tree = new Map<string, string>();
  /** The number of writes that the server has applied, and of those whose effects the client has seen. */
  #applied = 0;
  #seen: number;
  #state: "new" | "waiting" | "connected" | "over" = "new";

  constructor(onEvent: (event: SessionEvent) => void, seen: number, ensemble: Ensemble) {
    this.#onEvent = onEvent;
    this.#seen = seen;
    this.#ensemble = ensemble;
  }

  get seen(): bigint {
    return BigInt(this.#seen);
  }

  children(path: string, onChange?: OnChange): Promise<NodeAnswer<readonly string[]>> {
    return this.#answer(path, () => {
      if (!this.#tree.has(path)) return { type: "missing" };
      this.#watch("children", path, onChange);
      return { type: "found", value: childrenIn(this.#tree, path) };
    });
  }

  data(path: string, onChange?: OnChange): Promise<NodeAnswer<string>> {
    return this.#answer(path, () => {
      const value = this.#tree.get(path);
      if (value === undefined) return { type: "missing" };
      this.#watch("data", path, onChange);
      return { type: "found", value };
    });
  }

  exists(path: string, onChange?: OnChange): Promise<NodeAnswer<true>> {
    return this.#answer(path, () => {
      this.#watch("exists", path, onChange);
      return this.#tree.has(path) ? { type: "found", value: true } : { type: "missing" };
    });
  }

  watchTree(path: string, onChanges: OnTreeChanges): Promise<NodeAnswer<true>> {
    if (this.#state !== "connected") return Promise.resolve({ type: "lost" });
    if (!this.#ensemble.isOld) this.#treeWatches.set(path, onChanges);
    return new Promise((resolve) => {
      const arrive = () => {
        if (!this.#ensemble.isOld) return resolve({ type: "found", value: true });
        resolve({ type: "refused", reason: "UNIMPLEMENTED" });
        this.end("disconnected");
      };
      this.#wire.push({ arrive, lose: () => resolve({ type: "lost" }) });
    });
  }

  close(): void {
    this.#over();
    this.#ensemble.onClose();
  }

  connect(lag: number): void {
    const { log } = this.#ensemble;
    // A server rejects a client that has seen more writes than exist.
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
    for (let left = Math.min(count, this.#wire.length); left > 0; left -= 1) this.#wire.shift()?.arrive();
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
    this.#treeWatches = new Map();
    for (const { lose } of this.#wire.splice(0)) lose();
  }

  #answer<T>(path: string, read: () => NodeAnswer<T>): Promise<NodeAnswer<T>> {
    if (this.#state !== "connected") return Promise.resolve({ type: "lost" });
    const seen = this.#applied;
    const answer: NodeAnswer<T> = this.#ensemble.forbidden.has(path) ? { type: "refused", reason: "NO_AUTH" } : read();
    return new Promise((resolve) => {
      const arrive = () => {
        this.#seen = Math.max(this.#seen, seen);
        this.#ensemble.onRead();
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
    this.#report({ type: type === "delete" ? "deleted" : isNew ? "created" : "changed", path });
    this.#fire(`exists ${path}`);
    if (!isNew) this.#fire(`data ${path}`);
    if (type === "delete") this.#fire(`children ${path}`);
    if (type === "delete" || isNew) this.#fire(`children ${path.slice(0, path.lastIndexOf("/"))}`);
  }

  #report(change: TreeChange): void {
    const { forbidden } = this.#ensemble;
    const above = change.path.slice(0, change.path.lastIndexOf("/"));
    if (forbidden.has(change.path) || forbidden.has(above)) return;
    for (const [root, onChanges] of this.#treeWatches) {
      if (change.path !== root && !change.path.startsWith(`${root}/`)) continue;
      const seen = this.#applied;
      const arrive = () => {
        this.#seen = Math.max(this.#seen, seen);
        onChanges([change]);
      };
      this.#wire.push({ arrive, lose: () => {} });
    }
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
