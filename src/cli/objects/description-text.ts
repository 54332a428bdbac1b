import { isSubstitute } from "../../config/parse/substitute.ts";
import { counted } from "../../lib/counted.ts";
import { textTable } from "../text/text-table.ts";
import type { ObjectDescription } from "./describe-object.ts";

/** For people. `wide` names proxy, state and type in every row, for `grep` and `sort`. */
export function descriptionText(description: ObjectDescription, form: "text" | "wide"): string {
  const { object, accepted, source, reference, stale, alsoIn, proxies, live, problems } = description;
  const facts: readonly (readonly [name: string, fact: string])[] = [
    ["object", `${object}${accepted ? "" : ", which is not in use"}`],
    ["from", reference],
    ["source", stale === "" ? source : `${source}, which is stale: ${stale}`],
    ["also in", alsoIn.length === 0 ? "" : `${alsoIn.join(", ")}, where it is ignored`],
    ["version", versionText(description)],
    ["content", description.contentHash],
    ["live", live.of === 0 ? "" : `on ${live.proxies} of ${live.of} proxies`],
  ];
  const head = facts.filter(([, fact]) => fact !== "").map(([name, fact]) => `${`${name}:`.padEnd(9)}${fact}`);
  return [head.join("\n"), usersText(proxies, form), problemsText(problems)].join("\n\n");
}

function versionText({ version, lastGood }: ObjectDescription): string {
  if (isSubstitute({ version })) return `${version}: the object is invalid, so access to its workloads is denied`;
  return lastGood ? `${version}, the last good version: its source has a newer, invalid one` : version;
}

function usersText(proxies: ObjectDescription["proxies"], form: "text" | "wide"): string {
  if (proxies.length === 0) return "no connected proxy has a resource made from it";
  if (form === "wide") {
    const all = proxies.flatMap(({ node, upToDate, resources }) =>
      resources.map((resource) => [node, state(upToDate), ...typeAndName(resource)]),
    );
    return textTable(["PROXY", "STATE", "TYPE", "RESOURCE"], all);
  }
  const rows = proxies.flatMap(({ node, upToDate, resources }) =>
    resources.map((resource, index) => [index === 0 ? node : "", index === 0 ? state(upToDate) : "", resource]),
  );
  return textTable(["PROXY", "STATE", "RESOURCE"], rows);
}

function typeAndName(resource: string): readonly [type: string, name: string] {
  const space = resource.indexOf(" ");
  return [resource.slice(0, space), resource.slice(space + 1)];
}

function state(upToDate: boolean): string {
  return upToDate ? "up to date" : "not yet";
}

function problemsText(problems: ObjectDescription["problems"]): string {
  const lines = problems.map(({ level, code, message, reference }) => {
    return `${reference === "" ? "" : `${reference}: `}${level} ${code}: ${message}`;
  });
  return lines.length === 0 ? "no problems" : [`${counted(lines.length, "problem")}:`, ...lines].join("\n");
}
