import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fromBinary } from "@bufbuild/protobuf";
import {
  type RequestResources,
  RequestResourcesSchema,
  type Resources,
  ResourcesSchema,
} from "#gen/istio/mcp/v1alpha1/mcp_pb.js";
import { istiodGoldens } from "../../../src/testing/shared-data.ts";

/** The recorded messages between the real Galley and Pilot 1.3.6. */
export const istioGoldens = join(dirname(istiodGoldens), "istio-1.3.6");

/** One line of a recording. */
export type Recorded =
  | { readonly type: "push"; readonly at: number; readonly stream: string; readonly push: RecordedPush }
  | { readonly type: "request"; readonly at: number; readonly stream: string; readonly request: RequestResources }
  | { readonly type: "headers"; readonly at: number; readonly stream: string; readonly headers: Headers }
  | { readonly type: "end"; readonly at: number; readonly stream: string; readonly code: string; readonly by: string }
  | { readonly type: "event"; readonly at: number; readonly event: Readonly<Record<string, unknown>> };

type Headers = Readonly<Record<string, readonly string[]>>;

export interface RecordedPush {
  /** The bytes on the wire. Undefined for the few that were too large to keep. */
  readonly bytes: Uint8Array | undefined;
  readonly collection: string;
  readonly nonce: string;
  readonly resources: readonly RecordedResource[];
}

export interface RecordedResource {
  readonly metadata?: {
    readonly name?: string;
    readonly version?: string;
    readonly createTime?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly body?: Readonly<Record<string, unknown>>;
}

/** One recorded case. */
export interface RecordedSession {
  /** Such as `old-processor/nack`. */
  readonly name: string;
  readonly lines: readonly Recorded[];
  /** The input files by name, and the mesh file. Empty where there was none. */
  readonly files: ReadonlyMap<string, string>;
  readonly mesh: string;
  /** Reads a file beside the recording. */
  read(file: string): string;
}

const folder = join(istioGoldens, "mcp");

export const sessionNames: readonly string[] = globSync("**/session.jsonl", { cwd: folder })
  .map((path) => dirname(path))
  .toSorted();

export function readSession(name: string): RecordedSession {
  const beside = join(folder, name);
  const lines = readFileSync(join(beside, "session.jsonl"), "utf8").trimEnd().split("\n");
  return {
    name,
    lines: lines.map(recorded),
    ...inputsOf(beside),
    read: (file) => readFileSync(join(beside, file), "utf8"),
  };
}

function inputsOf(beside: string): Pick<RecordedSession, "files" | "mesh"> {
  const path = join(beside, "input.json");
  if (!existsSync(path)) return { files: new Map(), mesh: "" };
  const inputs = join(istioGoldens, "inputs");
  // Recordings are ours, so their shape is known.
  const { configPath, meshConfigFile } = JSON.parse(readFileSync(path, "utf8")) as {
    readonly configPath: readonly string[] | null;
    readonly meshConfigFile: string;
  };
  const files = (configPath ?? []).flatMap((each) =>
    globSync("*.y{a,}ml", { cwd: join(inputs, each) }).map(
      (file) => [file, readFileSync(join(inputs, each, file), "utf8")] as const,
    ),
  );
  return { files: new Map(files), mesh: readFileSync(join(inputs, meshConfigFile), "utf8") };
}

interface Line {
  readonly at: number;
  readonly stream?: string;
  readonly dir: string;
  readonly type: string;
  readonly message?: Readonly<Record<string, unknown>>;
  readonly raw?: string;
}

function recorded(text: string): Recorded {
  const { at, stream = "", dir, type, message = {}, raw } = JSON.parse(text) as Line;
  // The few that were too large to keep.
  if (type === "RequestResources" && raw === undefined) return { type: "event", at, event: { lost: true } };
  if (type === "RequestResources") {
    return {
      type: "request",
      at,
      stream,
      request: fromBinary(RequestResourcesSchema, Buffer.from(raw ?? "", "base64")),
    };
  }
  if (type === "Resources") return { type: "push", at, stream, push: pushOf(message, raw) };
  if (type === "headers") return { type, at, stream, headers: message as Headers };
  if (type === "end") return { type, at, stream, code: String(message["code"]), by: dir };
  return { type: "event", at, event: message };
}

function pushOf(message: Readonly<Record<string, unknown>>, raw: string | undefined): RecordedPush {
  const bytes = raw === undefined ? undefined : Buffer.from(raw, "base64");
  const { collection, nonce }: Pick<Resources, "collection" | "nonce"> =
    bytes === undefined ? { collection: String(message["collection"]), nonce: "" } : fromBinary(ResourcesSchema, bytes);
  const resources = (message["resources"] ?? []) as readonly RecordedResource[];
  return { bytes, collection, nonce, resources };
}
