import type { KeySetPlace } from "../../pilot/model/policy/key-set.ts";

/** A URI for logs, pages and errors: without credentials and without the values of its query. */
export function shownUri(text: string): string {
  const url = URL.parse(text);
  if (url === null) return text;
  return `${url.protocol}//${url.host}${url.pathname}${url.search === "" ? "" : "?…"}`;
}

export function shownPlace(place: KeySetPlace): string {
  return place.type === "uri" ? shownUri(place.uri) : `discovery at ${shownUri(place.issuer)}`;
}
