import { type Flag, readArguments } from "../../src/app/options/flags.ts";
import { durationMs } from "../../src/app/options/option-values.ts";
import { MeshError } from "../../src/index.ts";
import type { Edition } from "./cast/edition.ts";
import { envoyEdition } from "./cast/envoy-edition.ts";
import { grpcEdition } from "./cast/grpc-edition.ts";

export interface DemoArguments {
  readonly directory: string;
  readonly edition: Edition;
  /** When it ends by itself; never, unless given. */
  readonly afterMs: number | undefined;
}

const flags: readonly Flag[] = [
  { name: "envoy", type: "switch" },
  { name: "for", type: "value" },
];

/** `[DIR] [--envoy] [--for DURATION]`. Throws `bad-option`. */
export function readDemoArguments(args: readonly string[]): DemoArguments {
  const given = readArguments(args, flags);
  const directories = given.flatMap((argument) => (argument.type === "positional" ? argument.value : []));
  const [directory = "examples/bookinfo", ...more] = directories;
  if (more.length > 0) throw new MeshError("bad-option", `expected one directory, found also ${more.join(" ")}`);
  const durations = given.flatMap((argument) => (argument.type === "flag" ? argument.value : []));
  const afterMs = durations.length === 0 ? undefined : durationMs.parse(durations);
  if (durations.length > 0 && afterMs === undefined) {
    throw new MeshError("bad-option", `--for: expected ${durationMs.expected}, found ${durations.join()}`);
  }
  const withEnvoy = given.some(({ type }) => type === "switch");
  return { directory, edition: withEnvoy ? envoyEdition : grpcEdition, afterMs };
}
