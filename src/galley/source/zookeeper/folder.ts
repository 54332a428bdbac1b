import type { NodePath } from "./layout.ts";
import type { ChangingFolder, FollowedNode, Nodes } from "./nodes.ts";
import type { NodeAnswer, OnChange, Session } from "./session.ts";

/** A node that is read for its children. */
export class Folder implements ChangingFolder {
  readonly #nodePath: NodePath;
  readonly #nodes: Nodes;
  /** The path of the node with the children. */
  readonly #path: string;
  readonly #listing: FollowedNode;
  #members = new Set<string>();
  readonly #documents = new Map<string, Document>();
  readonly #folders = new Map<string, Folder>();

  constructor(nodePath: NodePath, nodes: Nodes) {
    this.#nodePath = nodePath;
    this.#nodes = nodes;
    const { root, layout } = nodes.options;
    const path = `${root}${layout.listedAt(nodePath)}`;
    this.#path = path;
    nodes.folders.set(path, this);
    this.#listing = nodes.follow(
      path,
      async (session, onChange) => nodes.bounded(await listing(session, path, onChange)),
      (answer) => this.#list(answer.type === "found" ? answer.value : []),
    );
  }

  close(): void {
    this.#listing.close();
    if (this.#nodes.folders.get(this.#path) === this) this.#nodes.folders.delete(this.#path);
    this.#nodes.changed.delete(this);
    for (const child of [...this.#documents.values(), ...this.#folders.values()]) child.close();
    if (this.#nodePath.length > 0) this.#nodes.options.onChange(this.#nodePath, undefined);
  }

  /** A deleted node had no children, and a new one has none so far. */
  onOwnChange(): void {
    if (this.#listing.state === "reading") this.#listing.refresh();
    else if (this.#listing.state === "current" && this.#size > 0) this.#list([]);
  }

  /**
   * Only the named child changes; its siblings are not looked at. If the list is just being read, the answer may or may
   * not contain the change, so the list is read once more. A list that was refused waits for its retry.
   */
  onChildChange(name: string, type: "created" | "deleted"): void {
    if (this.#listing.state === "refused") return;
    const isOverLimit = type === "created" && !this.#nodes.hasRoomFor(this.#size + 1);
    if (this.#listing.state === "reading" || isOverLimit) this.#listing.refresh();
    else if (type === "created") this.#add(name);
    else this.#remove(name);
  }

  /** Reports only complete folders. When one instance replaces another, both are known by then. */
  report(): void {
    const documents = [...this.#documents];
    if (this.#nodePath.length === 0 || documents.some(([, { known }]) => !known)) return;
    const members = new Map(Array.from(this.#members, (name) => [name, ""]));
    for (const [name, { text }] of documents) if (text !== undefined) members.set(name, text);
    this.#nodes.options.onChange(this.#nodePath, members);
  }

  get #size(): number {
    return this.#members.size + this.#documents.size + this.#folders.size;
  }

  #add(name: string): void {
    switch (this.#nodes.options.layout.roleOf([...this.#nodePath, name])) {
      case "member":
        this.#members.add(name);
        break;
      case "document":
        if (this.#documents.has(name)) this.#documents.get(name)?.reappear();
        else this.#documents.set(name, this.#newDocument(name));
        break;
      case "folder":
        if (!this.#folders.has(name)) this.#folders.set(name, this.#newFolder(name));
        break;
      case "none":
        return;
    }
    this.#nodes.changed.add(this);
  }

  #remove(name: string): void {
    this.#members.delete(name);
    this.#documents.get(name)?.close();
    this.#documents.delete(name);
    this.#folders.get(name)?.close();
    this.#folders.delete(name);
    this.#nodes.changed.add(this);
  }

  #list(names: readonly string[]): void {
    const { layout } = this.#nodes.options;
    const byRole = Map.groupBy(names, (name) => layout.roleOf([...this.#nodePath, name]));
    const members = new Set(byRole.get("member"));
    for (const name of byRole.get("document") ?? []) this.#documents.get(name)?.reappear();
    reconcile(this.#folders, byRole.get("folder"), (name) => this.#newFolder(name));
    reconcile(this.#documents, byRole.get("document"), (name) => this.#newDocument(name));
    this.#members = members;
    this.report();
  }

  #newFolder(name: string): Folder {
    return new Folder([...this.#nodePath, name], this.#nodes);
  }

  #newDocument(name: string): Document {
    return new Document([...this.#nodePath, name], this.#nodes, () => this.report());
  }
}

/** A node that is read for its data. If the node is really a folder, it is followed as a folder, too. */
class Document {
  /** Whether any answer about the node has arrived. */
  known = false;
  /** Undefined for a node that is gone, or is a folder. */
  text: string | undefined;
  readonly #nodes: Nodes;
  readonly #path: string;
  readonly #data: FollowedNode;
  #folder: Folder | undefined;

  constructor(nodePath: NodePath, nodes: Nodes, onChange: () => void) {
    const { root, layout } = nodes.options;
    const path = `${root}/${nodePath.join("/")}`;
    this.#nodes = nodes;
    this.#path = path;
    nodes.documents.set(path, this);
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

  refresh(): void {
    this.#data.refresh();
  }

  close(): void {
    this.#data.close();
    if (this.#nodes.documents.get(this.#path) === this) this.#nodes.documents.delete(this.#path);
    this.#endFolder();
  }

  #endFolder(): void {
    this.#folder?.close();
    this.#folder = undefined;
  }
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
