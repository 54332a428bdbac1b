import { configKey } from "../../config/config.ts";
import { kindByCollection } from "../../config/kinds.ts";
import { type PlacedObject, placeKey } from "../../history/moment.ts";
import { objectNamed } from "../objects/object-named.ts";

/** `Kind/namespace/name`, or `Kind/name` for a kind of the whole cluster. */
export function objectName({ collection, key }: Pick<PlacedObject, "collection" | "key">): string {
  return `${kindByCollection(collection)?.kind ?? "Service"}/${key}`;
}

/** The place of an object that is written as KIND/NAMESPACE/NAME. Throws `bad-option`. */
export function placeNamed(text: string): string {
  const { kind, namespace, name } = objectNamed(text);
  return placeKey({ collection: kind.collection, key: configKey({ namespace, name }) });
}
