import { type Limits, limitsOf, overLimit } from "../../../lib/bounded/limit.ts";
import { Follower, type FollowOptions, type ServerAnswer } from "./follower.ts";
import type { Layout, Members, NodePath } from "./layout.ts";
import type { ReadLimiter } from "./read-limiter.ts";
import type { NodeAnswer, OnChange, Session } from "./session.ts";
import { zooKeeperLimits } from "./zookeeper-limits.ts";

export interface TreeOptions {
  /** Path of the registry's root, as in `/dubbo`. */
  readonly root: string;
  readonly layout: Layout;
  readonly pace: FollowOptions;
  /** Overrides of the default limits. */
  readonly limits?: Partial<Limits<typeof zooKeeperLimits>>;
  /** The members of a folder changed. Undefined when the folder is gone. */
  readonly onChange: (nodePath: NodePath, members: Members | undefined) => void;
  /** A node cannot be read: its last known content stays. Without a reason, the node is readable again. */
  readonly onRefusal: (path: string, reason: string | undefined) => void;
  /** Called after each answer, when all its consequences have been reported. */
  readonly onAnswer: () => void;
}

/** The known nodes of a registry. A node without an answer keeps its last known content. */
export class Tree {
  readonly #root: Folder;
  readonly #nodes: Nodes;

  constructor(options: TreeOptions) {
    this.#nodes = new Nodes(options);
    this.#root = new Folder([], this.#nodes);
  }

  /** Whether everything has been read since {@link follow}. */
  get caughtUp(): boolean {
    return this.#nodes.unread.size === 0;
  }

  /** Reads and follows everything through this limiter. Without a limiter it waits for the next one. */
  follow(limiter: ReadLimiter | undefined): void {
    this.#nodes.limiter = limiter;
    for (const follower of this.#nodes.followers) this.#nodes.unread.add(follower);
    for (const follower of this.#nodes.followers) follower.follow(limiter);
  }

  /** Reads everything once more. */
  refresh(): void {
    for (const follower of this.#nodes.followers) follower.refresh();
  }

  close(): void {
    this.#root.close();
  }
}

type AnyFollower = Pick<Follower<unknown>, "follow" | "refresh" | "close">;

interface Followed {
  refresh(): void;
  close(): void;
}

/** State shared by the nodes of a tree. */
class Nodes {
  readonly options: TreeOptions;
  readonly followers = new Set<AnyFollower>();
  /** The followers without an answer on the current limiter. */
  readonly unread = new Set<AnyFollower>();
  readonly #limits: Limits<typeof zooKeeperLimits>;
  limiter: ReadLimiter | undefined;

  constructor(options: TreeOptions) {
    this.options = options;
    this.#limits = limitsOf(zooKeeperLimits, options.limits);
  }

  /** Refuses a folder that is over the limit, or that makes the whole tree exceed it. Its last known content stays. */
  bounded(answer: NodeAnswer<readonly string[]>): NodeAnswer<readonly string[]> {
    if (answer.type !== "found") return answer;
    const { children, nodes } = this.#limits;
    const { length } = answer.value;
    const all = this.followers.size + length;
    if (length > children) return refused(overLimit("the list of its children", children, "names", length));
    return all > nodes ? refused(overLimit("with its children the registry", nodes, "nodes", all)) : answer;
  }

  /** Follows one fact about the node at `path`. */
  follow<T>(
    path: string,
    read: (session: Session, onChange: OnChange | undefined) => Promise<NodeAnswer<T>>,
    take: (answer: Exclude<ServerAnswer<T>, { readonly type: "refused" }>) => void,
  ): Followed {
    let refused = false;
    const told = (answer: ServerAnswer<T>) => {
      // Without its root the registry is unknown. Without another node, only that node is unknown.
      if (answer.type !== "refused" || path !== this.options.root) this.unread.delete(follower);
      else this.unread.add(follower);
      if (answer.type === "refused" || refused) {
        refused = answer.type === "refused";
        this.options.onRefusal(path, answer.type === "refused" ? answer.reason : undefined);
      }
      if (answer.type !== "refused") take(answer);
      this.options.onAnswer();
    };
    const follower = new Follower<T>({ read, take: told }, this.options.pace);
    this.followers.add(follower);
    this.unread.add(follower);
    follower.follow(this.limiter);
    const close = () => {
      follower.close();
      this.followers.delete(follower);
      this.unread.delete(follower);
      if (refused) this.options.onRefusal(path, undefined);
    };
    return { refresh: () => follower.refresh(), close };
  }
}

/** A node that is read for its children. */
class Folder {
  readonly #nodePath: NodePath;
  readonly #nodes: Nodes;
  readonly #listing: Followed;
  #members = new Set<string>();
  readonly #documents = new Map<string, Document>();
  readonly #folders = new Map<string, Folder>();

  constructor(nodePath: NodePath, nodes: Nodes) {
    this.#nodePath = nodePath;
    this.#nodes = nodes;
    const { root, layout } = nodes.options;
    const path = `${root}${layout.listedAt(nodePath)}`;
    this.#listing = nodes.follow(
      path,
      async (session, onChange) => nodes.bounded(await listing(session, path, onChange)),
      (answer) => this.#list(answer.type === "found" ? answer.value : []),
    );
  }

  close(): void {
    this.#listing.close();
    for (const child of [...this.#documents.values(), ...this.#folders.values()]) child.close();
    if (this.#nodePath.length > 0) this.#nodes.options.onChange(this.#nodePath, undefined);
  }

  #list(names: readonly string[]): void {
    const { layout } = this.#nodes.options;
    const byRole = Map.groupBy(names, (name) => layout.roleOf([...this.#nodePath, name]));
    this.#members = new Set(byRole.get("member"));
    for (const name of byRole.get("document") ?? []) this.#documents.get(name)?.reappear();
    reconcile(this.#folders, byRole.get("folder"), (name) => new Folder([...this.#nodePath, name], this.#nodes));
    reconcile(this.#documents, byRole.get("document"), (name) => {
      return new Document([...this.#nodePath, name], this.#nodes, () => this.#report());
    });
    this.#report();
  }

  /** Reports only complete folders. When one instance replaces another, both are known by then. */
  #report(): void {
    const documents = [...this.#documents];
    if (this.#nodePath.length === 0 || documents.some(([, { known }]) => !known)) return;
    const members = new Map(Array.from(this.#members, (name) => [name, ""]));
    for (const [name, { text }] of documents) if (text !== undefined) members.set(name, text);
    this.#nodes.options.onChange(this.#nodePath, members);
  }
}

/** A node that is read for its data. If the node is really a folder, it is followed as a folder, too. */
class Document {
  /** Whether any answer about the node has arrived. */
  known = false;
  /** Undefined for a node that is gone, or is a folder. */
  text: string | undefined;
  readonly #data: Followed;
  #folder: Folder | undefined;

  constructor(nodePath: NodePath, nodes: Nodes, onChange: () => void) {
    const { root, layout } = nodes.options;
    const path = `${root}/${nodePath.join("/")}`;
    this.#data = nodes.follow(
      path,
      (session, whenChanged) => session.data(path, whenChanged),
      (answer) => {
        this.known = true;
        const text = answer.type === "found" ? answer.value : undefined;
        const isFolder = text !== undefined && layout.isFolder(text);
        this.text = isFolder ? undefined : text;
        if (isFolder) this.#folder ??= new Folder(nodePath, nodes);
        else this.#endFolder();
        onChange();
      },
    );
  }

  /** The node is listed again. A deleted node has no watch, so nothing else reports its return. */
  reappear(): void {
    if (this.known && this.text === undefined && this.#folder === undefined) this.#data.refresh();
  }

  close(): void {
    this.#data.close();
    this.#endFolder();
  }

  #endFolder(): void {
    this.#folder?.close();
    this.#folder = undefined;
  }
}

function refused({ message: reason }: Error): NodeAnswer<never> {
  return { type: "refused", reason };
}

/** The children of a node. For a missing node, the watch waits for its creation. */
async function listing(
  session: Session,
  path: string,
  onChange: OnChange | undefined,
): Promise<NodeAnswer<readonly string[]>> {
  const listed = await session.children(path, onChange);
  if (listed.type !== "missing" || onChange === undefined) return listed;
  const there = await session.exists(path, onChange);
  return there.type === "found" ? listing(session, path, onChange) : there;
}

function reconcile<Child extends { close(): void }>(
  children: Map<string, Child>,
  names: readonly string[] = [],
  create: (name: string) => Child,
): void {
  const wanted = new Set(names);
  for (const [name, child] of children) {
    if (wanted.has(name)) continue;
    children.delete(name);
    child.close();
  }
  for (const name of wanted) if (!children.has(name)) children.set(name, create(name));
}
