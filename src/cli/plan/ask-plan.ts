import type { PlanAnswer, PlanRequest } from "../../desk/api/model/plan.ts";
import { MeshError } from "../../lib/errors.ts";
import type { Plan } from "../../plan/plan.ts";
import type { Terminal } from "../command.ts";
import { fetchPage } from "../mesh/fetch-page.ts";
import { objectsToSend, type SentObjects } from "./sent-objects.ts";

/** A server makes a plan of thousands of proxies in pieces between its pushes. */
const exchangeMs = 90_000;

/** Asks a server for a plan. Throws `unavailable` with what the server says about it. */
export async function askPlan(server: string, request: PlanRequest): Promise<PlanAnswer> {
  return (await fetchPage(server, "/api/v1/plan", { body: JSON.stringify(request), exchangeMs })) as PlanAnswer;
}

/** Prints the issues of the objects with their places. */
export function complainOfPlan(
  issues: PlanAnswer["issues"],
  sent: Pick<SentObjects, "placeOf">,
  { complain }: Pick<Terminal, "complain">,
): void {
  for (const { severity, text, line } of issues) {
    complain(`${line === undefined ? "" : `${sent.placeOf(line)}: `}${severity}: ${text}`);
  }
}

/** The plan with the files of its objects, instead of the lines of the text that the server got. */
export function withPlaces(plan: Plan, sent: Pick<SentObjects, "placeOf">): Plan {
  const objects = plan.objects.map((object) => {
    const [, line] = /^edited copy:(\d+)$/u.exec(object.reference) ?? [];
    return line === undefined ? object : { ...object, reference: sent.placeOf(Number(line)) };
  });
  return { ...plan, objects };
}

/** Throws `bad-config` if the server would plan these objects differently now. */
export async function checkPlan(
  id: string,
  { server, paths }: { readonly server: string; readonly paths: readonly string[] },
  terminal: Terminal,
): Promise<void> {
  const sent = await objectsToSend(paths, terminal);
  const { issues, id: current } = await askPlan(server, { objects: sent.text, idOnly: true });
  complainOfPlan(issues, sent, terminal);
  if (current === id) return;
  const found =
    current === undefined ? "there is no plan of these objects" : `the plan of these objects is ${current} now`;
  throw new MeshError("bad-config", `--plan ${id}: ${found}: the objects or the mesh have changed; plan again`);
}
