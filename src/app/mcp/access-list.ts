import { parseOnly } from "../../config/yaml/yaml.ts";
import { errorFrom, MeshError } from "../../lib/errors.ts";
import { isMapping } from "../../lib/is-mapping.ts";

/** The clients that may read configuration, by the names in their certificates: only these, or all but these. */
export interface AccessList {
  readonly mode: "allow" | "deny";
  readonly names: ReadonlySet<string>;
}

/** One matching name is enough, in either mode: a client has all of its names. */
export function admits({ mode, names }: AccessList, client: readonly string[]): boolean {
  const listed = client.some((name) => names.has(name));
  return mode === "allow" ? listed : !listed;
}

/** Reads Galley's own form: `allowed`, and `isblacklist`, however they are capitalised. Throws `bad-option`. */
export function parseAccessList(file: string, text: string): AccessList {
  const {
    allowed = [],
    isblacklist = false,
    ...more
  } = Object.fromEntries(Object.entries(mappingIn(file, text)).map(([key, value]) => [key.toLowerCase(), value]));
  const [unknown] = Object.keys(more);
  if (unknown !== undefined) throw bad(file, `${unknown} is unknown; the fields are allowed and isblacklist`);
  if (!isTexts(allowed)) throw bad(file, "allowed must be a list of names");
  if (typeof isblacklist !== "boolean") throw bad(file, "isblacklist must be true or false");
  return { mode: isblacklist ? "deny" : "allow", names: new Set(allowed) };
}

function mappingIn(file: string, text: string): Readonly<Record<string, unknown>> {
  let content: unknown;
  try {
    content = parseOnly(text, file);
  } catch (cause) {
    throw bad(file, errorFrom(cause).message, cause);
  }
  if (isMapping(content)) return { ...content };
  // An empty file is more likely half-written than a list that admits no client.
  throw bad(file, 'expected a list such as "allowed: [spiffe://cluster.local/ns/istio-system/sa/pilot]"');
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

function bad(file: string, problem: string, cause?: unknown): MeshError {
  return new MeshError("bad-option", `${file}: ${problem}`, { cause });
}
