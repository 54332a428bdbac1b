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
  /** Called after each answer and each list of changes, when all consequences have been reported. */
  readonly onAnswer: () => void;
}

export type AnyFollower = Pick<Follower<unknown>, "follow" | "refresh" | "close">;

/** A followed fact about a node. */
export interface FollowedNode extends Pick<Follower<unknown>, "refresh" | "close"> {
  readonly state: Follower<unknown>["state"];
}

/** A folder learns of changes by the path of the changed node. */
export interface ChangingFolder {
  /** The node with the children was itself created or deleted. */
  onOwnChange(): void;
  /** A child was created or deleted. */
  onChildChange(name: string, type: "created" | "deleted"): void;
  /** Reports the changes since the last report. */
  report(): void;
}

/** State shared by the nodes of a tree. */
export class Nodes {
  readonly options: TreeOptions;
  readonly followers = new Set<AnyFollower>();
  /** The followers without an answer on the current limiter. */
  readonly unread = new Set<AnyFollower>();
  /** The folders and documents by the path of the node that they read. */
  readonly folders = new Map<string, ChangingFolder>();
  readonly documents = new Map<string, { refresh(): void }>();
  /** The folders with changes that are not reported yet. */
  readonly changed = new Set<ChangingFolder>();
  readonly #limits: Limits<typeof zooKeeperLimits>;
  limiter: ReadLimiter | undefined;

  constructor(options: TreeOptions) {
    this.options = options;
    this.#limits = limitsOf(zooKeeperLimits, options.limits);
  }

  /** Refuses a folder that is over the limit, or that makes the whole tree exceed it. Its last known content stays. */
  bounded(answer: NodeAnswer<readonly string[]>): NodeAnswer<readonly string[]> {
    return answer.type === "found" ? (this.#excess(answer.value.length) ?? answer) : answer;
  }

  /** Whether a folder may have this many children. */
  hasRoomFor(children: number): boolean {
    return this.#excess(children) === undefined;
  }

  /** Follows one fact about the node at `path`. */
  follow<T>(
    path: string,
    read: (session: Session, onChange: OnChange | undefined) => Promise<NodeAnswer<T>>,
    take: (answer: Exclude<ServerAnswer<T>, { readonly type: "refused" }>) => void,
  ): FollowedNode {
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
    return {
      refresh: () => follower.refresh(),
      close,
      get state() {
        return follower.state;
      },
    };
  }

  #excess(length: number): NodeAnswer<never> | undefined {
    const { children, nodes } = this.#limits;
    const all = this.followers.size + length;
    if (length > children) return refused(overLimit("the list of its children", children, "names", length));
    return all > nodes ? refused(overLimit("with its children the registry", nodes, "nodes", all)) : undefined;
  }
}

function refused({ message: reason }: Error): NodeAnswer<never> {
  return { type: "refused", reason };
}
