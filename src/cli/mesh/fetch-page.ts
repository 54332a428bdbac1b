import { type Limits, limitsOf } from "../../lib/bounded/limit.ts";
import { bodyOf, readBounded, readJson } from "../../lib/bounded/read-bounded.ts";
import { MeshError, networkReason } from "../../lib/errors.ts";
import { isMapping } from "../../lib/is-mapping.ts";
import { parseJson } from "../../lib/parse-json.ts";
import { pageLimits } from "./page-limits.ts";

type PageLimits = Limits<typeof pageLimits>;

interface PageRequest extends Partial<PageLimits> {
  /** Changes something: the page gets it by POST. */
  readonly body?: string | undefined;
}

/** A page of a running server. Throws `not-found` with what the server says about it, `unavailable`, `limit-exceeded`. */
export async function fetchPage(server: string, path: string, request: PageRequest = {}): Promise<unknown> {
  const { body, ...others } = request;
  const limits = limitsOf(pageLimits, others);
  const { answerBytes: maxBytes, answerValues: maxValues } = limits;
  const init = body === undefined ? {} : { method: "POST", body };
  return await fetched(server, path, { init, limits }, async (response) => {
    return await readJson(bodyOf(response), { what, maxBytes, maxValues });
  });
}

/** A page that is text, such as the metrics. Throws the same. */
export async function fetchText(server: string, path: string): Promise<string> {
  const limits = limitsOf(pageLimits);
  return await fetched(server, path, { init: {}, limits }, async (response) => {
    return (await readBounded(bodyOf(response), { what, maxBytes: limits.answerBytes })).toString();
  });
}

const what = "the page";

interface Exchange {
  readonly init: RequestInit;
  readonly limits: PageLimits;
}

async function fetched<T>(
  server: string,
  path: string,
  exchange: Exchange,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  try {
    return await read(await responseAt(`${baseOf(server)}${path}`, exchange));
  } catch (thrown) {
    const { code } = MeshError.from(thrown);
    if (code === "not-found") throw thrown;
    const message = `--server ${server}: ${networkReason(thrown)}`;
    throw new MeshError(code === "internal" ? "unavailable" : code, message, { cause: thrown });
  }
}

/** The URL of a server: `--server` is `HOST:PORT`, or a URL as it is copied from a browser. */
export function baseOf(server: string): string {
  return /^https?:\/\//u.test(server) ? server.replace(/\/+$/u, "") : `http://${server}`;
}

async function responseAt(url: string, { init, limits }: Exchange): Promise<Response> {
  const { refusalBytes, exchangeMs } = limits;
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(exchangeMs) });
  if (response.ok) return response;
  const said = wordsIn((await readBounded(bodyOf(response), { what, maxBytes: refusalBytes })).toString().trim());
  // The list of all pages follows, which helps people with a browser.
  if (response.status === 404) throw new MeshError("not-found", said.split("\n\n")[0] ?? said);
  throw new MeshError("unavailable", `${response.status} ${said}`);
}

/** Undefined for a page that the server does not have. */
export async function fetchIfThere(server: string, path: string, request?: PageRequest): Promise<unknown> {
  try {
    return await fetchPage(server, path, request);
  } catch (thrown) {
    if (MeshError.from(thrown).code === "not-found") return undefined;
    throw thrown;
  }
}

/** The API of the desk wraps its words in JSON. */
function wordsIn(text: string): string {
  const answer = text.startsWith("{") ? parseJson(text) : undefined;
  return isMapping(answer) && typeof answer["error"] === "string" ? answer["error"] : text;
}
