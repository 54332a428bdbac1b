interface Step {
  readonly op: string;
  readonly path: string;
  readonly value?: unknown;
}

type Holder = Record<string, unknown> | unknown[];

/** Applies a JSON patch (RFC 6902) of `add`, `replace` and `remove`, as the API server does. Throws where it would refuse. */
export function applyJsonPatch(document: unknown, steps: readonly Step[]): unknown {
  const root: Record<string, unknown> = { document: structuredClone(document) };
  for (const { op, path, value } of steps) {
    const names = ["document", ...path.split("/").slice(1)].map((name) =>
      name.replaceAll("~1", "/").replaceAll("~0", "~"),
    );
    const holder = names
      .slice(0, -1)
      .reduce<unknown>((inner, name) => Reflect.get(inner as object, name), root) as Holder;
    const name = names.at(-1) ?? "";
    if (op !== "add" && op !== "replace" && op !== "remove") throw new Error(`unknown step ${op}`);
    if (op !== "add" && !Object.hasOwn(holder, name)) throw new Error(`there is no ${path} to ${op}`);
    if (!Array.isArray(holder)) {
      if (op === "remove") Reflect.deleteProperty(holder, name);
      else Object.defineProperty(holder, name, { value, enumerable: true, configurable: true, writable: true });
    } else if (op === "replace") {
      holder[Number(name)] = value;
    } else {
      const index = name === "-" ? holder.length : Number(name);
      if (index > holder.length) throw new Error(`${path} is after the end`);
      holder.splice(index, op === "remove" ? 1 : 0, ...(op === "add" ? [value] : []));
    }
  }
  return root["document"];
}
