import { Folder } from "./folder.ts";
import { Nodes, type TreeOptions } from "./nodes.ts";
import type { ReadLimiter } from "./read-limiter.ts";
import type { TreeChange } from "./session.ts";

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

  /** The server reports these changes. Each costs the changed node; folders are reported once, after all of them. */
  apply(changes: readonly TreeChange[]): void {
    const { folders, documents } = this.#nodes;
    for (const { type, path } of changes) {
      if (type === "changed") {
        documents.get(path)?.refresh();
        continue;
      }
      const end = path.lastIndexOf("/");
      folders.get(path.slice(0, end))?.onChildChange(path.slice(end + 1), type);
      folders.get(path)?.onOwnChange();
    }
    const changed = [...this.#nodes.changed];
    this.#nodes.changed.clear();
    for (const folder of changed) folder.report();
    this.#nodes.options.onAnswer();
  }

  close(): void {
    this.#root.close();
  }
}
