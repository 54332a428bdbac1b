import { type Config, type ConfigId, configId } from "../../config/config.ts";
import { isRefused } from "../../config/finding.ts";
import { foldIssues } from "../../config/fold-issues.ts";
import type { Issue } from "../../config/issue.ts";
import { outputOf } from "../../config/kind.ts";
import { kindOf, kinds } from "../../config/kinds.ts";
import { parseConfigs } from "../../config/parse/parse.ts";
import { counted } from "../../lib/counted.ts";
import type { WhatIfIssue } from "../api/model/explain.ts";
import type { WhatIfMesh } from "./what-if-mesh.ts";

/** The objects of an edited text. */
export interface EditedObjects {
  /** Empty if the text cannot be used. */
  readonly objects: readonly EditedObject[];
  readonly issues: readonly WhatIfIssue[];
}

interface EditedObject {
  readonly id: ConfigId;
  readonly config: Config;
  readonly change: "added" | "changed" | "unchanged";
}

/** The name of the text in places. */
const editedFile = "edited copy";
const maxObjects = 50;
const shownIssues = 50;

/** Reads and validates a text as a source would. An edited object keeps the age of the object that it stands for. */
export function editedObjects(
  text: string,
  mesh: Pick<WhatIfMesh, "currentOf" | "inputNameOf">,
  most = maxObjects,
): EditedObjects {
  const context = { file: editedFile, source: editedFile, kinds, defaultNamespace: "default" };
  const { configs, issues } = parseConfigs({ text, ...context });
  const said = foldIssues(issues).issues.map(issueOf);
  const foreign = configs.filter((config) => !isRead(config, mesh)).map(foreignIssue);
  const found = [...said, ...foreign, ...countIssues(configs.length, said.length, most)].slice(0, shownIssues);
  if (isRefused(issues) || found.length > said.length) return { objects: [], issues: found };
  return { objects: configs.map((config) => edited(config, mesh)), issues: found };
}

/**
 * Whether Pilot reads the object as it is written. Galley makes other objects from Services and Ingresses, and takes
 * endpoints of Services from other kinds.
 */
function isRead(config: Config, mesh: Pick<WhatIfMesh, "inputNameOf">): boolean {
  const row = kindOf(config.apiVersion, config.kind);
  const output = row && outputOf(row);
  return output !== undefined && output === mesh.inputNameOf(idOf(config));
}

function edited(config: Config, mesh: Pick<WhatIfMesh, "currentOf">): EditedObject {
  const id = idOf(config);
  const current = mesh.currentOf(id);
  if (current === undefined) return { id, config, change: "added" };
  const change = current.version === config.version ? "unchanged" : "changed";
  return { id, config: { ...config, createdAt: current.createdAt }, change };
}

function idOf({ kind, namespace, name }: Config): ConfigId {
  return configId(kind, namespace, name);
}

function issueOf({ severity, path, message, hint, place }: Issue): WhatIfIssue {
  const text = hint === undefined ? message : `${message}; ${hint}`;
  return {
    severity,
    text: path === "" ? text : `${path}: ${text}`,
    ...(place !== undefined && { line: place.line }),
  };
}

function foreignIssue({ kind, name, origin }: Config): WhatIfIssue {
  const line = origin.locate("")?.line;
  return {
    severity: "error",
    text: `what if has no answer for the ${kind} ${name}: the server makes other objects from this kind`,
    ...(line !== undefined && { line }),
  };
}

function countIssues(objects: number, issues: number, most: number): readonly WhatIfIssue[] {
  if (objects > most) {
    return [{ severity: "error", text: `the text has ${counted(objects, "object")}, and at most ${most} fit` }];
  }
  return objects === 0 && issues === 0 ? [{ severity: "error", text: "the text has no object" }] : [];
}
