import type { Client, ResourceSource } from "../resource-source.ts";
import type { ResourceType } from "../resource-type.ts";

/** More types that are not listed than any client has use for. */
const maxUnlisted = 100;

/** The types of one stream: those that the source lists and, of those that it answers all the same, a few. */
export class StreamTypes {
  readonly #source: Pick<ResourceSource<Client>, "types" | "unlisted">;
  /** In the order of asking. */
  readonly #unlisted = new Set<string>();

  constructor(source: Pick<ResourceSource<Client>, "types" | "unlisted">) {
    this.#source = source;
  }

  /** Undefined for a type that is not served. */
  find(typeUrl: string): ResourceType | undefined {
    const listed = this.#source.types.find((each) => each.typeUrl === typeUrl);
    if (listed !== undefined || this.#source.unlisted === undefined) return listed;
    if (this.#unlisted.size >= maxUnlisted && !this.#unlisted.has(typeUrl)) return undefined;
    this.#unlisted.add(typeUrl);
    return this.#source.unlisted(typeUrl);
  }

  /** All that were found so far or may be, in the order in which they are sent. */
  *inOrder(): Iterable<string> {
    for (const { typeUrl } of this.#source.types) yield typeUrl;
    yield* this.#unlisted;
  }
}
