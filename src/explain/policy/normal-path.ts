import {
  HttpConnectionManager_PathWithEscapedSlashesAction as EscapedSlashes,
  type HttpConnectionManager,
} from "#gen/envoy/extensions/filters/network/http_connection_manager/v3/http_connection_manager_pb.js";
import { refused, type RequestOutcome } from "../explanation.ts";
import { schemeOf, type SimulatedRequest } from "../simulated-request.ts";

type Settings = Pick<HttpConnectionManager, "normalizePath" | "mergeSlashes" | "pathWithEscapedSlashesAction">;

/** The path as filters and routes see it, or the answer to a path that the proxy does not take. */
export type NormalPath =
  | { readonly type: "path"; readonly path: string }
  | { readonly type: "answer"; readonly outcome: RequestOutcome };

/** Envoy's order: escaped slashes, then the normal form of RFC 3986, then repeated slashes. The query stays. */
export function normalPath(request: SimulatedRequest, settings: Settings): NormalPath {
  if (request.path.includes("#")) return answer(refused("a path with a fragment is rejected", { status: 400 }));
  const [start = "", ...rest] = request.path.split("?");
  const query = rest.length === 0 ? "" : `?${rest.join("?")}`;
  const action = settings.pathWithEscapedSlashesAction;
  const unescaped = keepsEscapes(action) ? start : start.replaceAll(/%2f/giu, "/").replaceAll(/%5c/giu, "\\");
  if (unescaped !== start && action === EscapedSlashes.REJECT_REQUEST) {
    return answer(refused("a path with escaped slashes is rejected", { status: 400 }));
  }
  const normal = settings.normalizePath === true ? canonical(unescaped) : unescaped;
  if (normal === undefined) return answer(refused("the path has no normal form", { status: 400 }));
  const path = `${settings.mergeSlashes ? normal.replaceAll(/\/{2,}/gu, "/") : normal}${query}`;
  if (unescaped !== start && action === EscapedSlashes.UNESCAPE_AND_REDIRECT) {
    const location = `${schemeOf(request)}://${request.host}${path}`;
    return answer({ type: "redirect", status: 307, location });
  }
  return { type: "path", path };
}

function answer(outcome: RequestOutcome): NormalPath {
  return { type: "answer", outcome };
}

/** Without a setting of its own, Envoy leaves them. */
function keepsEscapes(action: EscapedSlashes): boolean {
  return action === EscapedSlashes.KEEP_UNCHANGED || action === EscapedSlashes.IMPLEMENTATION_SPECIFIC_DEFAULT;
}

/** Characters that need no escape lose it, others get one. Dots are resolved. Undefined for a path of another form. */
function canonical(path: string): string | undefined {
  if (path.includes("%00")) return undefined;
  if (!path.startsWith("/")) return path === "*" || path === "" ? path : undefined;
  const text = path
    .replaceAll("\\", "/")
    .replaceAll(/%(?<hex>[0-9a-f]{2})/giu, (escape, hex: string) => {
      const char = String.fromCodePoint(Number.parseInt(hex, 16));
      return /[\w.~-]/u.test(char) ? char : escape;
    })
    .replaceAll(/["<>`{|}]/gu, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
  return withoutDots(text.slice(1).split("/"));
}

/** `.` is the segment before it, `..` the one before that; above the root there is nothing. */
function withoutDots(segments: readonly string[]): string {
  const kept: string[] = [];
  for (const [index, segment] of segments.entries()) {
    const isLast = index === segments.length - 1;
    if (segment === "..") kept.pop();
    else if (segment !== ".") kept.push(segment);
    // A path that ends in dots is a folder.
    if (isLast && (segment === "." || segment === "..")) kept.push("");
  }
  return `/${kept.join("/")}`;
}
