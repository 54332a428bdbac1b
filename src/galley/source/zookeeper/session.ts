/**
 * The answer of a server about a node. An answer is `refused` if the server sent an error (access control, a broken
 * node). It is `lost` if the connection ended first. Then the caller must repeat the request on the next connection.
 */
export type NodeAnswer<T> =
  | { readonly type: "found"; readonly value: T }
  | { readonly type: "missing" }
  | { readonly type: "refused"; readonly reason: string }
  | { readonly type: "lost" };

/**
 * Called at most once, at the first change after the answer. The server sets the watch together with the answer, so no
 * change is missed. Events arrive in order: a watch fires before any answer that shows the change.
 */
export type OnChange = () => void;

/** A change of a node in a watched tree: the node was created, deleted, or its data changed. */
export interface TreeChange {
  readonly type: "created" | "deleted" | "changed";
  readonly path: string;
}

/** Receives changes in their order. Changes that arrive together are reported together. */
export type OnTreeChanges = (changes: readonly TreeChange[]) => void;

/** One read-only session with an ensemble. No answers arrive after `close`. */
export interface Session {
  /**
   * The names of a node's children, in any order. The watch fires for added and removed children, and when the node is
   * deleted.
   */
  children(path: string, onChange?: OnChange): Promise<NodeAnswer<readonly string[]>>;
  /** The data of a node. The watch fires for changed data, and when the node is deleted. */
  data(path: string, onChange?: OnChange): Promise<NodeAnswer<string>>;
  /** Whether the node exists. The watch also works for a missing node, and fires on its creation. */
  exists(path: string, onChange?: OnChange): Promise<NodeAnswer<true>>;
  /**
   * Reports all changes of a node and of all nodes below it, from the answer on until the connection ends. The node may
   * be missing. `seen` covers every reported change. Servers before 3.6 refuse it, and close the connection.
   */
  watchTree(path: string, onChanges: OnTreeChanges): Promise<NodeAnswer<true>>;
  /** The last transaction that this session has seen. */
  readonly seen: bigint;
  close(): void;
}

/**
 * `connected` follows each `disconnected`. Earlier watches are gone then, so everything must be read again. After
 * `expired` and `unauthorized` no event follows: a new session is needed. `broken` has a reason. It comes before the
 * `disconnected` of a connection that we closed because of invalid data.
 */
export type SessionEvent = "connected" | "disconnected" | "expired" | "unauthorized" | "broken";

/**
 * Begins a session and reports its events. With `seen` of an earlier session, it avoids servers that lag behind.
 * Otherwise it might read an old state of the registry.
 */
export type OpenSession = (onEvent: OnSessionEvent, seen?: bigint) => Session;

export type OnSessionEvent = (event: SessionEvent, reason?: string) => void;
