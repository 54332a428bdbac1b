import type { JSX } from "preact";
import type { ViewProps } from "../../app/view.ts";
import { ProxyList } from "./proxy-list.tsx";
import { ProxyPage } from "./proxy-page.tsx";

/** All proxies, or one. */
export function Proxies({ path: [node], query }: ViewProps): JSX.Element {
  return node === undefined ? <ProxyList query={query} /> : <ProxyPage node={node} query={query} />;
}
