import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import type { Collection } from "../../../collection/collection.ts";
import type { Config } from "../../../config/config.ts";
import type { Kind } from "../../../config/kind.ts";
import type { Inputs } from "../transformer.ts";

/** A transformer's input with the type of its kind. */
export function collectionOf<Desc extends DescMessage>(
  { collection }: Kind<Desc>,
  input: Inputs,
): Collection<Config<MessageShape<Desc>>> {
  // The kind table guarantees this cast: a config enters a collection only with the spec of its kind.
  return input(collection) as Collection<Config<MessageShape<Desc>>>;
}
