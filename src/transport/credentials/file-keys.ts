import type { JWTVerifyGetKey } from "jose";
import { assert } from "../../lib/assert.ts";
import { errorFrom, MeshError } from "../../lib/errors.ts";
import { ReloadedFiles, type ReloadSettings } from "../tls/reloaded-files.ts";
import { type KeySet, readKeySet } from "./key-set.ts";

/** An issuer's keys from a file, reloaded when the file changes. `start` rejects when the file has no keys. */
export function fileKeys(file: string, settings: ReloadSettings): KeySet {
  let keys: JWTVerifyGetKey | undefined;
  const files = new ReloadedFiles({
    ...settings,
    files: [file],
    use([text = ""]) {
      keys = readKeys(file, text);
    },
  });
  return {
    keyFor(header, token) {
      assert(keys !== undefined, "keys are used after they were read");
      return keys(header, token);
    },
    start: () => files.start(),
    stop: () => files.stop(),
    idle: () => files.idle(),
  };
}

function readKeys(file: string, text: string): JWTVerifyGetKey {
  try {
    return readKeySet(JSON.parse(text));
  } catch (cause) {
    throw new MeshError("bad-option", `${file} is no JSON Web Key Set: ${errorFrom(cause).message}`, { cause });
  }
}
