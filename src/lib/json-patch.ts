import { deepEqual } from "./equal.ts";
import { isMapping } from "./is-mapping.ts";

/** One step of a JSON patch (RFC 6902). */
export type PatchStep =
  | { readonly op: "add" | "replace"; readonly path: string; readonly value: unknown }
  | { readonly op: "remove"; readonly path: string };

/** The steps that turn one JSON value into another. Unchanged parts are not mentioned. */
export function jsonPatch(before: unknown, after: unknown, path = ""): readonly PatchStep[] {
  if (deepEqual(before, after)) return [];
  if (isMapping(before) && isMapping(after)) return patchMapping(before, after, path);
  if (Array.isArray(before) && Array.isArray(after)) return patchList(before, after, path);
  return [{ op: "replace", path, value: after }];
}

type Mapping = Readonly<Record<string, unknown>>;

function patchMapping(before: Mapping, after: Mapping, path: string): readonly PatchStep[] {
  const removed = Object.keys(before).filter((name) => !Object.hasOwn(after, name));
  return [
    ...removed.map((name) => ({ op: "remove" as const, path: `${path}/${escaped(name)}` })),
    ...Object.entries(after).flatMap(([name, value]) => {
      const at = `${path}/${escaped(name)}`;
      return Object.hasOwn(before, name)
        ? jsonPatch(before[name], value, at)
        : [{ op: "add" as const, path: at, value }];
    }),
  ];
}

/** Items are compared by their place. Removals go backwards, so that places stay valid. */
function patchList(before: readonly unknown[], after: readonly unknown[], path: string): readonly PatchStep[] {
  const common = Math.min(before.length, after.length);
  const surplus = before.slice(common).map((_, index) => before.length - 1 - index);
  return [
    ...after.slice(0, common).flatMap((value, index) => jsonPatch(before[index], value, `${path}/${index}`)),
    ...surplus.map((index) => ({ op: "remove" as const, path: `${path}/${index}` })),
    ...after.slice(common).map((value) => ({ op: "add" as const, path: `${path}/-`, value })),
  ];
}

function escaped(name: string): string {
  return name.replaceAll("~", "~0").replaceAll("/", "~1");
}
