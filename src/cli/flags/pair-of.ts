import { MeshError } from "../../lib/errors.ts";

/** Reads one `KEY=VALUE` of a flag. Throws `bad-option`. */
export function pairOf(flag: string, text: string): readonly [key: string, value: string] {
  const equals = text.indexOf("=");
  if (equals > 0) return [text.slice(0, equals), text.slice(equals + 1)];
  throw new MeshError("bad-option", `--${flag}: expected KEY=VALUE, found ${JSON.stringify(text)}`);
}
