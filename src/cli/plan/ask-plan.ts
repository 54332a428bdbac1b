import type { PlanAnswer, PlanRequest } from "../../desk/api/model/plan.ts";
import { MeshError } from "../../lib/errors.ts";
import type { Terminal } from "../command.ts";
import { fetchPage } from "../mesh/fetch-page.ts";
import { openInputs } from "../mesh/open-inputs.ts";
import { isDirectory, yamlFilesBelow } from "../../app/offline/yaml-files.ts";
import { isDiff } from "./unified-diff.ts";

/** A server makes a plan of thousands of proxies in pieces between its pushes. */
const exchangeMs = 90_000;

/** Asks a server for a plan. Throws `unavailable` with what the server says about it. */
export async function askPlan(server: string, request: PlanRequest): Promise<PlanAnswer> {
  return (await fetchPage(server, "/api/v1/plan", { body: JSON.stringify(request), exchangeMs })) as PlanAnswer;
}

/** The text of all objects at these paths. Throws `bad-option` for a diff: a server has no files to apply it to. */
export async function textOfObjects(paths: readonly string[], terminal: Terminal): Promise<string> {
  const texts: string[] = [];
  for (const path of paths) {
    if (path !== "-" && (await isDirectory(path))) {
      for (const text of (await yamlFilesBelow(path)).values()) texts.push(text);
      continue;
    }
    const { inputs, textOf } = await openInputs([path], terminal);
    for (const input of inputs) {
      const text = typeof input === "string" ? textOf(input) : "text" in input ? input.text : "";
      if (text === undefined) throw new MeshError("source-unavailable", `${path} cannot be read`);
      if (isDiff(text)) throw new MeshError("bad-option", `${path} is a diff: plan it with --against DIR`);
      texts.push(text);
    }
  }
  return texts.join("\n---\n");
}

export function complainOfPlan(issues: PlanAnswer["issues"], { complain }: Pick<Terminal, "complain">): void {
  for (const { severity, text, line } of issues) {
    complain(`${line === undefined ? "" : `line ${line}: `}${severity}: ${text}`);
  }
}

/** Throws `bad-config` if the server would plan these objects differently now. */
export async function checkPlan(
  id: string,
  { server, paths }: { readonly server: string; readonly paths: readonly string[] },
  terminal: Terminal,
): Promise<void> {
  const objects = await textOfObjects(paths, terminal);
  const { issues, id: current } = await askPlan(server, { objects, idOnly: true });
  complainOfPlan(issues, terminal);
  if (current === id) return;
  const found =
    current === undefined ? "there is no plan of these objects" : `the plan of these objects is ${current} now`;
  throw new MeshError("bad-config", `--plan ${id}: ${found}: the objects or the mesh have changed; plan again`);
}
