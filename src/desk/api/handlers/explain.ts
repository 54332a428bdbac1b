import { verifiesToken } from "../../../admin/explain/verifies-token.ts";
import { errorFrom, MeshError } from "../../../lib/errors.ts";
import type { Viewer } from "../../../admin/viewer.ts";
import { editedObjects } from "../../explain/edited-objects.ts";
import { explained } from "../../explain/explained.ts";
import { type ExplainQuestion, explainIn } from "../../explain/explain-in.ts";
import { readQuestion, requestAt } from "../../explain/explain-question.ts";
import { liveMesh } from "../../explain/live-mesh.ts";
import type { DeskState } from "../desk-state.ts";
import { type ApiAnswer, type ApiRequest, found, problem } from "../endpoint.ts";
import type { ExplainAnswer, WhatIfAnswer } from "../model/explain.ts";
import { linkTo } from "../object-links.ts";
import { findNode, notConnected, visibleProxies } from "../proxy-facts.ts";

/** Explains a request at a connected proxy, also with edited objects. */
export async function explainRequest(state: DeskState, { viewer, body }: ApiRequest): Promise<ApiAnswer> {
  try {
    const asked = readQuestion(body);
    const connection = findNode(state, viewer, asked.node);
    if (connection === undefined) return notConnected(asked.node);
    const { extAuthz } = asked;
    const question: ExplainQuestion = {
      connection,
      request: requestAt(connection.client, asked),
      context: { nowSeconds: state.now().getTime() / 1000, verifies: verifiesToken, extAuthz },
      peers: visibleProxies(state, viewer),
    };
    const now = explained(explainIn(liveMesh(state), question), { viewer, originOf: state.originOf });
    const { whatIf } = asked;
    if (whatIf === undefined) return found(now satisfies ExplainAnswer);
    return await withEdits(state, { viewer, whatIf, question, now });
  } catch (thrown) {
    if (thrown instanceof MeshError && thrown.code === "bad-option") return problem(400, thrown.message);
    throw thrown;
  }
}

interface WhatIfQuestion {
  readonly viewer: Viewer;
  readonly whatIf: string;
  readonly question: ExplainQuestion;
  readonly now: ExplainAnswer;
}

async function withEdits(state: DeskState, { viewer, whatIf, question, now }: WhatIfQuestion): Promise<ApiAnswer> {
  if (viewer.type !== "system") return problem(403, "only operators may ask what if");
  const gate = state.whatIf.enter();
  if (gate.type === "refused") return problem(gate.status, gate.reason);
  try {
    return found({ ...now, whatIf: await answerFor(state, whatIf, question) } satisfies ExplainAnswer);
  } finally {
    gate.leave();
  }
}

async function answerFor(state: DeskState, text: string, question: ExplainQuestion): Promise<WhatIfAnswer> {
  const { mesh } = state.whatIf;
  const { objects, issues } = editedObjects(text, mesh);
  const links = objects.map(({ id, config, change }) => ({
    ...linkTo(id, state),
    source: config.origin.source,
    reference: config.origin.reference,
    change,
  }));
  if (objects.length === 0) return { issues, objects: [] };
  const configs = new Map(objects.map(({ id, config }) => [id, config]));
  try {
    const explanation = explainIn(await mesh.with([...configs.values()], question.connection), question);
    const originOf: DeskState["originOf"] = (id) => configs.get(id)?.origin ?? state.originOf(id);
    return { issues, objects: links, answer: explained(explanation, { viewer: { type: "system" }, originOf }) };
  } catch (thrown) {
    const reason = `the mesh with these objects cannot be built: ${errorFrom(thrown).message}`;
    return { issues: [...issues, { severity: "error", text: reason }], objects: links };
  }
}
