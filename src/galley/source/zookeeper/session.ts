/**
 * What a server says of a node. `refused`: it answered, and will not tell (access control, a broken node); `lost`: the
 * connection went before the answer came, so that nothing is known and whoever asked asks again on the next one.
 */
export type Answer<T> =
  | { readonly type: "found"; readonly value: T }
  | { readonly type: "missing" }
  | { readonly type: "refused"; readonly reason: string }
  | { readonly type: "lost" };

/**
 * Called at most once, at the first change after what was answered. Watches stand where the answer is made, so that no
 * change falls between the two; they come through in order: a watch is called before any answer that shows the change.
 */
export type OnChange = () => void;

/** One session with an ensemble, of which we only read. Nothing is answered after `close`. */
export interface Session {
  /** The names of a node's children, in any order. The watch tells of children that come and go, and of the node's end. */
  children(path: string, onChange?: OnChange): Promise<Answer<readonly string[]>>;
  /** The watch tells of other data, and of the node's end. */
  data(path: string, onChange?: OnChange): Promise<Answer<string>>;
  /** Whether the node is there. The watch stands also where it is not, and tells of its creation. */
  exists(path: string, onChange?: OnChange): Promise<Answer<true>>;
  /** The last transaction that this session has seen the effects of. */
  readonly seen: Uint8Array;
  close(): void;
}

/**
 * `connected` comes again after each `disconnected`; watches from before are gone, so that all has to be read anew. After
 * `expired` and `unauthorized` nothing more comes: only another session helps. `broken`, with a reason, comes before the
 * `disconnected` of a connection that is cut off for what the server sent.
 */
export type SessionEvent = "connected" | "disconnected" | "expired" | "unauthorized" | "broken";

/**
 * Begins a session, and says how it fares. With `seen` of an earlier one it talks to no server that lags behind that:
 * otherwise it might be shown the registry as it once was.
 */
export type OpenSession = (onEvent: OnSessionEvent, seen?: Uint8Array) => Session;

export type OnSessionEvent = (event: SessionEvent, reason?: string) => void;
