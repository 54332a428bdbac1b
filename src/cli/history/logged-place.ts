import { kindByCollection } from "../../config/kinds.ts";
import { type PlacedObject, placeKey } from "../../history/moment.ts";
import { MeshError } from "../../lib/errors.ts";
import { kindNamed } from "../objects/kind-named.ts";

/** `Kind/namespace/name`, or `Kind/name` for a kind of the whole cluster. */
export function objectName({ collection, key }: Pick<PlacedObject, "collection" | "key">): string {
  return `${kindByCollection(collection)?.kind ?? "Service"}/${key}`;
}

/** The place of an object that is written as KIND/NAMESPACE/NAME. Throws `bad-option`. */
export function placeNamed(text: string): string {
  const [word = "", ...rest] = text.split("/");
  const { collection, scope } = kindNamed(word);
  const expected = scope === "cluster" ? 1 : 2;
  if (rest.length !== expected || rest.includes("")) {
    const form = scope === "cluster" ? "KIND/NAME" : "KIND/NAMESPACE/NAME";
    throw new MeshError("bad-option", `${text}: expected ${form}`);
  }
  return placeKey({ collection, key: rest.join("/") });
}
