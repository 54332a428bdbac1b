import type { EnvoyPatch } from "../../model/policy/envoy-patch.ts";

/** A part of a resource that a patch made or changed. */
export interface PatchedPart {
  /** Such as `filterChains[0].filters[1]`; empty for the resource itself. */
  readonly path: string;
  /** Whether the patch made the whole part, with everything inside. */
  readonly made: boolean;
}

/** Remembers which messages inside a resource were made or changed by which patch, and finds their paths. */
export class PatchTrace {
  /** By message: the patches, and whether they made it. */
  readonly #marks = new Map<object, Map<EnvoyPatch, boolean>>();
  /** By network filter: marked parts of the connection manager in it, which is encoded. */
  readonly #inside = new Map<object, Part[]>();

  /**
   * Makes a change, and returns whether it had an effect. New items in lists of the message count as made by the patch. A
   * patch that only inserts items does not change the message itself.
   */
  follow(patch: EnvoyPatch, message: object, change: () => boolean): boolean {
    const before = new Set(itemsOf(message));
    if (!change()) return false;
    const after = new Set(itemsOf(message));
    const made = after.difference(before);
    if (made.size === 0 || !before.isSubsetOf(after) || patch.operation.startsWith("MERGE"))
      this.mark(patch, message, false);
    for (const item of made) this.mark(patch, item, true);
    return true;
  }

  mark(patch: EnvoyPatch, message: object, made: boolean): void {
    const known = this.#marks.get(message) ?? new Map<EnvoyPatch, boolean>();
    this.#marks.set(message, known.set(patch, made || known.get(patch) === true));
  }

  /** Called when the connection manager of a filter is encoded: its messages are not seen again. */
  enclose(filter: object, manager: object): void {
    const parts = partsOf(manager, noMessages).filter(([, part]) => this.#marks.has(part));
    this.#inside.set(filter, [...(this.#inside.get(filter) ?? []), ...parts]);
  }

  /** By patch: the parts of the finished resource that it made or changed. Nothing is looked for in `untouched` messages. */
  partsIn(resource: object, untouched: Untouched = noMessages): ReadonlyMap<EnvoyPatch, readonly PatchedPart[]> {
    const found = new Map<EnvoyPatch, PatchedPart[]>();
    const inside = (path: string, filter: object) =>
      (this.#inside.get(filter) ?? []).map(([inner, part]): Part => [joined(path, inner), part]);
    const parts = partsOf(resource, untouched).flatMap(([at, each]) => [[at, each] as const, ...inside(at, each)]);
    for (const [path, part] of parts) {
      for (const [patch, made] of this.#marks.get(part) ?? [])
        found.set(patch, [...(found.get(patch) ?? []), { path, made }]);
    }
    return found;
  }
}

type Part = readonly [path: string, part: object];

/** The fields on the way to everything that patches can name. */
const fields: ReadonlySet<string> = new Set([
  "filterChains",
  "defaultFilterChain",
  "filters",
  "httpFilters",
  "routeConfig",
  "virtualHosts",
  "routes",
]);

/** Messages that no patch made or changed. */
interface Untouched {
  has(message: object): boolean;
}

const noMessages: Untouched = new Set();

/** A message and the parts of it that patches can name, with their paths. */
function partsOf(message: object, untouched: Untouched, path = ""): readonly Part[] {
  const inner = Object.entries(message).flatMap(([name, value]): readonly (readonly [string, unknown])[] => {
    return isChoice(value) ? [[value.case, value.value]] : [[name, value]];
  });
  return [
    [path, message],
    ...inner
      .filter(([name]) => fields.has(name))
      .flatMap(([name, value]) =>
        Array.isArray(value)
          ? value.flatMap((item: unknown, index) =>
              isObject(item) && !untouched.has(item) ? partsOf(item, untouched, joined(path, `${name}[${index}]`)) : [],
            )
          : isObject(value)
            ? partsOf(value, untouched, joined(path, name))
            : [],
      ),
  ];
}

function joined(path: string, inner: string): string {
  return path === "" || inner === "" ? path + inner : `${path}.${inner}`;
}

function itemsOf(message: object): readonly object[] {
  return Object.values(message).flatMap((value: unknown) => (Array.isArray(value) ? value.filter(isObject) : []));
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

/** One of several fields of a message, of which only one is set. */
function isChoice(value: unknown): value is { readonly case: string; readonly value: unknown } {
  return isObject(value) && "case" in value && typeof value.case === "string" && !("$typeName" in value);
}
