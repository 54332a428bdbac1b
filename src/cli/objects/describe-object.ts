import type { QuarantinedObject } from "../../admin/pilot/quarantine.ts";
import type { ObjectId } from "../../app/store/object-id.ts";
import { objectText } from "../../app/store/object-id.ts";
import { issueMessageCodes } from "../../config/analysis/issue-messages.ts";
import { configId, configKey } from "../../config/config.ts";
import type { ConflictType } from "../../pilot/model/conflict.ts";
import { isSubstitute } from "../../config/parse/substitute.ts";
import type { ConfigSummary, ConflictSummary, ObjectPages } from "./object-pages.ts";
import { patchProblem } from "../proxies/patch-text.ts";
import { refusalText } from "../../admin/pilot/refusal-text.ts";

/** One object of a running mesh. */
export interface ObjectDescription {
  /** `Kind namespace/name`. */
  readonly object: string;
  /** Whether the object is in use. If not, its problems give the reason. */
  readonly accepted: boolean;
  readonly apiVersion: string;
  /** The version in use; empty where none is. */
  readonly version: string;
  /** Whether the source has a newer version, which is invalid: then the last good one is in use. */
  readonly lastGood: boolean;
  /** The source of the object in use, and its place there. */
  readonly source: string;
  readonly reference: string;
  /** The reason why the source is stale. Empty while it is not. */
  readonly stale: string;
  /** Further sources with an object of this name, which is ignored. */
  readonly alsoIn: readonly string[];
  /** Proxies that have a resource made from it, or should have one. */
  readonly proxies: readonly {
    readonly node: string;
    readonly upToDate: boolean;
    /** `CDS outbound|80||reviews.shop` */
    readonly resources: readonly string[];
  }[];
  /** How many of the connected proxies that it reaches have accepted its content. */
  readonly live: { readonly proxies: number; readonly of: number };
  /** The hash of its content, for `wait --content-hash`; empty where none is in use. */
  readonly contentHash: string;
  /** The classes of proxies that refuse it, and do not get it. */
  readonly refusals: readonly QuarantinedObject[];
  readonly problems: readonly Problem[];
}

interface Problem {
  readonly level: string;
  readonly code: string;
  readonly message: string;
  readonly reference: string;
}

/** Undefined if the mesh does not know the object. */
export function describeObject(id: ObjectId, pages: ObjectPages): ObjectDescription | undefined {
  const found = configOf(id, pages);
  const problems = [...problemsOf(id, pages)];
  if (found === undefined && problems.length === 0) return undefined;
  const refusals = pages.issues.issues.filter(
    ({ object, severity, code }) => object === objectText(id) && severity === "error" && code !== "no-effect",
  );
  const { apiVersion = "", version = "", reference = "" } = found ?? {};
  const source = found?.source ?? refusals[0]?.source ?? "";
  const stale = pages.issues.sources.find(({ name }) => name === source)?.stale ?? "";
  return {
    object: objectText(id),
    accepted: found !== undefined,
    apiVersion,
    version,
    lastGood: found !== undefined && !isSubstitute(found) && refusals.some((refusal) => refusal.source === source),
    source,
    reference,
    stale,
    alsoIn: [...losersOf(id, pages)].filter((name) => name !== source),
    proxies: (pages.distribution?.proxies ?? []).map(({ node, upToDate, resources }) => ({
      node,
      upToDate,
      resources: resources.map(({ type, name }) => `${type} ${name}`),
    })),
    live: { proxies: pages.progress?.proxies.live ?? 0, of: pages.progress?.proxies.reached ?? 0 },
    contentHash: pages.progress?.contentHash ?? "",
    refusals: refusalsOf(id, pages),
    problems,
  };
}

/** The names of all objects of the kind, as a hint after a misspelt name. */
export function namesOf({ kind }: Pick<ObjectId, "kind">, { configs }: ObjectPages): readonly string[] {
  return Object.values(configs).flatMap((all) => all.flatMap((each) => (each.kind === kind.kind ? each.key : [])));
}

function configOf(id: ObjectId, { configs }: ObjectPages): ConfigSummary | undefined {
  const key = configKey(id);
  const all = Object.values(configs).flat();
  return all.find((each) => each.key === key && each.kind === id.kind.kind && isOfGroup(each, id));
}

function isOfGroup({ apiVersion }: ConfigSummary, { kind }: ObjectId): boolean {
  return kind.group === "" ? !apiVersion.includes("/") : apiVersion.startsWith(`${kind.group}/`);
}

/** A collection of a source is named `source collection`. */
function losersOf(id: ObjectId, { issues }: ObjectPages): ReadonlySet<string> {
  const clashes = issues.clashes.filter(
    ({ collection, key }) => collection === id.kind.collection && key === configKey(id),
  );
  const claimants = clashes.flatMap((clash) => clash.claimants);
  return new Set(claimants.map((claimant) => claimant.slice(0, claimant.lastIndexOf(" "))));
}

/** Conflicts without a winner: some proxies cannot follow the object. */
const withoutWinner: ReadonlySet<string> = new Set<ConflictType>(["extension", "telemetry", "provider", "proxyless"]);

function conflictText({ type, about, winner, reason }: ConflictSummary): string {
  if (withoutWinner.has(type)) return `${about}: ${reason}`;
  return `${about}: ${winner?.object ?? "the mesh itself"} has it, since ${reason}`;
}

function refusalsOf({ kind, namespace, name }: ObjectId, { quarantine }: ObjectPages): readonly QuarantinedObject[] {
  const id = configId(kind.kind, namespace, name);
  return (quarantine?.objects ?? []).filter(({ object }) => object === id);
}

function* problemsOf(id: ObjectId, pages: ObjectPages): Iterable<Problem> {
  const { issues, analysis, conflicts, nacks, patches } = pages;
  const object = objectText(id);
  const slashed = `${id.kind.kind}/${id.namespace}/${id.name}`;
  for (const { severity: level, object: its, code, path, message, reference } of issues.issues) {
    if (its === object) yield { level, code, message: path === "" ? message : `${path}: ${message}`, reference };
  }
  for (const { level, code, origin, message, reference } of analysis.messages) {
    if (origin === object && !issueMessageCodes.has(code))
      yield { level: level.toLowerCase(), code, message, reference };
  }
  for (const conflict of conflicts?.conflicts ?? []) {
    const lost = conflict.losers.find((loser) => loser.object === slashed);
    const message = conflictText(conflict);
    if (lost !== undefined) yield { level: "warning", code: "conflict", message, reference: lost.reference };
  }
  for (const patch of patches?.patches ?? []) {
    if (patch.object !== slashed || patch.status === "matched") continue;
    const level = patch.status === "invalid" ? "error" : "warning";
    const code = patch.status === "invalid" ? "patch-refused" : "patch-not-matched";
    yield { level, code, message: patchProblem(patch), reference: patch.reference };
  }
  for (const { type, message, resources, objects, proxies } of nacks ?? []) {
    const blamed = objects.find((each) => each.object === slashed);
    const sentence = `${proxies.join(", ")} rejects ${type} ${resources.join(", ")}: ${message}`;
    if (blamed !== undefined)
      yield { level: "error", code: "rejected", message: sentence, reference: blamed.reference };
  }
  for (const refusal of refusalsOf(id, pages)) {
    yield { level: "error", code: "quarantined", message: refusalText(refusal), reference: refusal.reference };
  }
}
