import { type Limits, limitsOf } from "../../lib/bounded/limit.ts";
import { bodyOf, readBounded, readJson } from "../../lib/bounded/read-bounded.ts";
import { MeshError, networkReason } from "../../lib/errors.ts";
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
  const init = body === undefined ? {} : { method: "POST", body };
  try {
    return await pageAt(`${baseOf(server)}${path}`, init, limits);
  } catch (thrown) {
    const { code } = MeshError.from(thrown);
    if (code === "not-found") throw thrown;
    const message = `--server ${server}: ${networkReason(thrown)}`;
    throw new MeshError(code === "internal" ? "unavailable" : code, message, { cause: thrown });
  }
}

/** `HOST:PORT`, or a URL as it is copied from a browser. */
function baseOf(server: string): string {
  return /^https?:\/\//u.test(server) ? server.replace(/\/+$/u, "") : `http://${server}`;
}

async function pageAt(url: string, init: RequestInit, limits: PageLimits): Promise<unknown> {
  const { answerBytes: maxBytes, answerValues: maxValues, refusalBytes, exchangeMs } = limits;
  const what = "the page";
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(exchangeMs) });
  if (response.ok) return await readJson(bodyOf(response), { what, maxBytes, maxValues });
  const said = (await readBounded(bodyOf(response), { what, maxBytes: refusalBytes })).toString().trim();
  if (response.status === 404) throw new MeshError("not-found", said);
  throw new MeshError("unavailable", `${response.status} ${said}`);
}

/** Undefined for a page that the server does not have. */
export async function fetchIfThere(server: string, path: string): Promise<unknown> {
  try {
    return await fetchPage(server, path);
  } catch (thrown) {
    if (MeshError.from(thrown).code === "not-found") return undefined;
    throw thrown;
  }
}
