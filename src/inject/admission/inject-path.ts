/** The cluster and the network that the address of the webhook gives to its pods. */
export interface InjectPath {
  readonly cluster?: string;
  readonly network?: string;
}

const names: Readonly<Record<string, keyof InjectPath>> = { cluster: "cluster", net: "network" };

/**
 * Reads `/inject` and `/inject/cluster/NAME/net/NAME`, which Istio uses for clusters without a control plane of their
 * own. A slash in a value is `--slash--`. Undefined for any other path.
 */
export function readInjectPath(path: string): InjectPath | undefined {
  const [root, ...parts] = path.replace(/\/$/u, "").split("/").slice(1);
  if (root !== "inject" || parts.length % 2 !== 0) return undefined;
  const read: { -readonly [Name in keyof InjectPath]: string } = {};
  for (let index = 0; index < parts.length; index += 2) {
    const [name = "", value = ""] = parts.slice(index, index + 2);
    const field = Object.hasOwn(names, name) ? names[name] : undefined;
    const text = decoded(value);
    if (field === undefined || text === undefined || text === "") return undefined;
    read[field] = text.replaceAll("--slash--", "/");
  }
  return read;
}

function decoded(value: string): string | undefined {
  try {
    return decodeURIComponent(value);
  } catch {
    return undefined;
  }
}
