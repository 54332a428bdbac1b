import { globSync } from "node:fs";
import { join } from "node:path";
import { createRegistry, type DescFile, type Registry } from "@bufbuild/protobuf";
import * as wellKnown from "@bufbuild/protobuf/wkt";

const gen = join(import.meta.dirname, "../../gen");

/** Every message type we generate code for, and the well-known ones: opens any `Any` that we or a peer could send. */
export async function loadRegistry(): Promise<Registry> {
  const paths = globSync("**/*_pb.js", { cwd: gen }).toSorted();
  const modules = await Promise.all(paths.map((path): Promise<object> => import(join(gen, path))));
  return createRegistry(...[wellKnown, ...modules].flatMap((module) => Object.values(module).filter(isFile)));
}

function isFile(exported: unknown): exported is DescFile {
  return typeof exported === "object" && exported !== null && "kind" in exported && exported.kind === "file";
}
