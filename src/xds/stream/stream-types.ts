import type { Client, ResourceSource } from "../resource-source.ts";
import type { ResourceType } from "../resource-type.ts";

/** The limit of unlisted types per stream. No real client needs more. */
const maxUnlisted = 100;

/** The types of one stream: all listed types of the source, and a bounded number of unlisted types. */
export class StreamTypes {
  readonly #source: Pick<ResourceSource<Client>, "types" | "unlisted">;
  /** In request order. */
  readonly #unlisted = new Set<string>();
  /** All listed types, then the unlisted ones. A list, because a stream goes through it after every event. */
  readonly #inOrder: string[];

  constructor(source: Pick<ResourceSource<Client>, "types" | "unlisted">) {
    this.#source = source;
    this.#inOrder = source.types.map(({ typeUrl }) => typeUrl);
  }

  /** Returns undefined for a type that is not served. */
  find(typeUrl: string): ResourceType | undefined {
    const listed = this.#source.types.find((each) => each.typeUrl === typeUrl);
    if (listed !== undefined || this.#source.unlisted === undefined) return listed;
    if (this.#unlisted.has(typeUrl)) return this.#source.unlisted(typeUrl);
    if (this.#unlisted.size >= maxUnlisted) return undefined;
    this.#unlisted.add(typeUrl);
    this.#inOrder.push(typeUrl);
    return this.#source.unlisted(typeUrl);
  }

  /** All listed types and all unlisted types found so far, in send order. */
  get inOrder(): readonly string[] {
    return this.#inOrder;
  }
}
