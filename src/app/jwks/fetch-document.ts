import type { IncomingMessage } from "node:http";
import { type Limits, overLimit } from "../../lib/bounded/limit.ts";
import { readJson } from "../../lib/bounded/read-bounded.ts";
import { MeshError, networkReason } from "../../lib/errors.ts";
import { type CheckedTarget, checkTarget, checkUrl, type Resolve, type TargetRules } from "./checked-target.ts";
import { getChecked } from "./get-checked.ts";
import type { jwksLimits } from "./jwks-limits.ts";
import { shownUri } from "./shown-uri.ts";

/** Everything that a fetch needs from its process. */
export interface FetchSettings extends TargetRules {
  readonly resolve: Resolve;
  /** CA certificates (PEM) that verify issuers. Read for each fetch, so that a new file needs no restart. */
  readonly authorities: () => Promise<readonly string[]>;
  readonly limits: Limits<typeof jwksLimits>;
}

/** Fetches a JSON document within `withinMs`. Throws a MeshError that says why not, without secrets of the URI. */
export async function fetchDocument(text: string, withinMs: number, settings: FetchSettings): Promise<unknown> {
  const url = checkUrl(text, settings);
  const shown = shownUri(text);
  const signal = AbortSignal.timeout(withinMs);
  try {
    const target = await orAborted(checkTarget(url, settings, settings.resolve), signal);
    const authorities = await orAborted(settings.authorities(), signal);
    const response = await follow(target, { signal, authorities }, settings.limits.redirections);
    const { answerBytes: maxBytes, answerValues: maxValues } = settings.limits;
    return await readJson(response, { what: `the answer of ${shown}`, maxBytes, maxValues });
  } catch (cause) {
    if (signal.aborted) throw new MeshError("timeout", `${shown} has not answered within ${withinMs} ms`, { cause });
    if (cause instanceof MeshError) throw cause;
    throw new MeshError("unavailable", `${shown} cannot be reached: ${networkReason(cause)}`, { cause });
  }
}

/** A name lookup cannot be cancelled, so its result is ignored after the time. */
async function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(new MeshError("timeout", "the time is over"));
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

/** Follows redirects within the origin only, over the address that was checked. */
async function follow(
  first: CheckedTarget,
  options: Parameters<typeof getChecked>[1],
  redirections: number,
): Promise<IncomingMessage> {
  let target = first;
  for (let hops = 0; hops <= redirections; hops += 1) {
    const response = await getChecked(target, options);
    const location = redirectOf(response, target.url);
    if (location === undefined) return checkedResponse(response, target.url);
    response.destroy();
    if (location.origin !== first.url.origin) {
      throw new MeshError(
        "bad-config",
        `${shownUri(target.url.href)} redirects to ${location.origin}, which is another host`,
      );
    }
    target = { ...target, url: location };
  }
  throw overLimit(`the answer of ${shownUri(first.url.href)}`, redirections, "redirects", redirections + 1);
}

function redirectOf({ statusCode = 0, headers: { location } }: IncomingMessage, base: URL): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(statusCode) || location === undefined) return undefined;
  return URL.parse(location, base.href) ?? undefined;
}

function checkedResponse(response: IncomingMessage, url: URL): IncomingMessage {
  const { statusCode = 0, headers } = response;
  const { "content-encoding": encoding = "identity" } = headers;
  if (statusCode === 200 && encoding === "identity") return response;
  response.destroy();
  const shown = shownUri(url.href);
  if (statusCode !== 200) throw new MeshError("unavailable", `${shown} answered ${statusCode}`);
  throw new MeshError("peer-protocol", `${shown} sent a compressed answer without being asked`);
}
