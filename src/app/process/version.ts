import { readFileSync } from "node:fs";

/** As package.json says: two folders up from here, in the sources and in what is published. */
export function readVersion(): string {
  const file = new URL("../../../package.json", import.meta.url);
  const { version } = JSON.parse(readFileSync(file, "utf8")) as { readonly version: string };
  return version;
}
