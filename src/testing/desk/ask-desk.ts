import type { Viewer } from "../../admin/viewer.ts";
import type { DeskState } from "../../desk/api/desk-state.ts";
import type { ApiAnswer } from "../../desk/api/endpoint.ts";
import { apiEndpoints } from "../../desk/api/endpoints.ts";
import { matchEndpoint } from "../../desk/api/match-endpoint.ts";
import { assert } from "../../lib/assert.ts";

/** The answer of the API to a path with parameters, as an operator gets it. A body makes it a POST. */
export async function askDesk(
  state: DeskState,
  path: string,
  { body, viewer = { type: "system" } }: { readonly body?: unknown; readonly viewer?: Viewer } = {},
): Promise<ApiAnswer> {
  const { pathname, searchParams } = new URL(path, "http://desk");
  const match = matchEndpoint(apiEndpoints(state), body === undefined ? "GET" : "POST", pathname);
  assert(match.type === "matched", `the API has an endpoint for ${path}`);
  return await match.endpoint.answer({ viewer, values: match.values, query: searchParams, body });
}

/** The body of an answer that must be good. */
export async function readDesk<T>(state: DeskState, path: string, body?: unknown): Promise<T> {
  const answer = await askDesk(state, path, body === undefined ? {} : { body });
  assert(answer.status === 200, `${path} is answered: ${JSON.stringify(answer.body)}`);
  return answer.body as T;
}
