/**
 * Mutates valid objects until enough mutations pass validation. Offers the generated resources, of one mutation or of
 * several at once, to a real router and a real sidecar. Prints the rejections as JSON. Gateways listen on every
 * address, so this runs in its own network namespace.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Random } from "../../../src/testing/random/random.ts";
import { TestAuthority } from "../support/tls/certificates.ts";
import { EnvoyJudge } from "./envoy-judge.ts";
import { type MeshMutation, MutatedMesh, nodesWith } from "./mutated-mesh.ts";

interface Verdict {
  readonly proxy: string;
  readonly messages: readonly string[];
}

/** An object that we accept and a proxy rejects, or several that it rejects only together. */
interface Rejection extends Verdict {
  readonly object: string;
}

export interface JudgedOutcome {
  readonly tried: number;
  readonly accepted: number;
  readonly rejections: readonly Rejection[];
}

/** Errors that the configuration does not cause: a directory or an address that this machine does not have. */
const environmental = /cannot bind|unable to open file|Invalid path|No such file or directory|Permission denied/u;

/** Envoy prints one line for each listener. */
function withoutEnvironment(message: string): string {
  if (!environmental.test(message)) return message;
  return message
    .split("\n")
    .filter((line) => line.includes(": ") && !environmental.test(line))
    .join("\n");
}

/** How many objects are mutated at once. One alone makes the cause clear, several may conflict. */
const crowds = [1, 1, 2, 4, 8];

async function judge(count: number, seed: number): Promise<JudgedOutcome> {
  const random = new Random(seed);
  using authority = await TestAuthority.create();
  const certificates = await authority.issue("default", "app");
  const metadata = {
    TLS_CERT_CHAIN: certificates.certificateChain,
    TLS_KEY: certificates.privateKey,
    TLS_ROOT_CERT: certificates.rootCertificates,
  };
  const mesh = new MutatedMesh(random, metadata);
  const judges = new Map<string, EnvoyJudge>();
  for (const [name, node] of Object.entries(nodesWith(metadata)))
    judges.set(name, await EnvoyJudge.start(node, { certificates }));
  const offer = async (mutations: readonly MeshMutation[]) => {
    try {
      return await mesh.during(mutations, async () => await verdicts(mesh, judges));
    } catch (cause) {
      return [{ proxy: "generator", messages: [String(cause)] }];
    }
  };
  const rejections: Rejection[] = (await offer([])).map((verdict) => ({ object: "the fixtures", ...verdict }));
  while (mesh.accepted < count) {
    const mutations = mesh.draw(Math.min(random.pick(crowds), count - mesh.accepted));
    const together = await offer(mutations);
    if (together.length === 0) continue;
    const before = rejections.length;
    for (const mutation of mutations)
      for (const verdict of await offer([mutation])) rejections.push({ object: mutation.text, ...verdict });
    if (rejections.length > before) continue;
    const object = mutations.map(({ text }) => text).join("\n---\n");
    for (const verdict of together) rejections.push({ object, ...verdict });
  }
  for (const judge of judges.values()) await judge[Symbol.asyncDispose]();
  return { tried: mesh.tried, accepted: mesh.accepted, rejections };
}

/** The rejections of each proxy for the current mesh. */
async function verdicts(mesh: MutatedMesh, judges: ReadonlyMap<string, EnvoyJudge>): Promise<readonly Verdict[]> {
  const all: Verdict[] = [];
  for (const { name, generated } of mesh.generate()) {
    const complaints = (await judges.get(name)?.judge(generated)) ?? [`nobody judges ${name}`];
    const messages = complaints.map(withoutEnvironment).filter((message) => message !== "");
    if (messages.length > 0) all.push({ proxy: name, messages });
  }
  return all;
}

// Access logs may go to any path.
const folder = mkdtempSync(join(tmpdir(), "binnacle-judged-"));
process.chdir(folder);
const [count, seed] = process.argv.slice(2);
process.stdout.write(`${JSON.stringify(await judge(Number(count), Number(seed)))}\n`);
process.chdir("/");
rmSync(folder, { recursive: true, force: true });
process.exit(0);
